// Requests to the server.

const token = new URLSearchParams(location.search).get("token") ?? "";

/** Sends a request; an object is its JSON body. Fails with the server's message. */
export async function ask(path, body, signal) {
  const response = await fetch(`/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "x-runner-token": token },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(errorOf(text) ?? `the server answers ${response.status}`);
  }
  return response.headers.get("content-type").startsWith("application/json") ? JSON.parse(text) : text;
}

function errorOf(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}

/** Bytes of zlib in base64, unpacked. */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Text as zlib in base64 for addresses. */
export async function packedText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of packedText. */
export async function unpackedText(text) {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return new TextDecoder().decode(await unpacked(standard));
}
