// Framebuffers: canvases with the values of their pixels.

import { unpacked } from "./api.js";

const ARRAYS = { u8: Uint8Array, f32: Float32Array, i32: Int32Array, u32: Uint32Array };

/** A picture of the server with its texels unpacked. */
export async function decoded(picture) {
  const texels = new ARRAYS[picture.component](await unpacked(picture.data));
  return { ...picture, texels };
}

/** A buffer of the server with its words unpacked; bytes beyond the last word are left out. */
export async function decodedBuffer(buffer) {
  const bytes = await unpacked(buffer.data);
  return { ...buffer, words: new Uint32Array(bytes.slice(0, bytes.byteLength & ~3)) };
}

/** The components of a pixel, counted from the lower left corner. */
export function texel(picture, x, y) {
  const index = picture.constant ? 0 : (y * picture.width + x) * 4;
  return picture.texels.subarray(index, index + 4);
}

function byte(picture, value) {
  if (picture.component === "f32") return Math.round(Math.min(Math.max(value, 0), 1) * 255) || 0;
  return value & 255;
}

/** The components as text. */
export function shown(picture, x, y) {
  const values = texel(picture, x, y);
  const text = picture.component === "f32"
    ? Array.from(values, (v) => Number(v.toPrecision(7)))
    : Array.from(values);
  return text.join(" ");
}

export function isSame(a, b, x, y) {
  const [one, two] = [texel(a, x, y), texel(b, x, y)];
  // NaN equals NaN here.
  return one.every((value, index) => Object.is(value, two[index]));
}

/** True if two pictures can be compared. */
export function isComparable(a, b) {
  return Boolean(a && b) && a.width === b.width && a.height === b.height && a.component === b.component;
}

/** The first pixel in which two pictures differ, from the lower left corner. */
export function firstDifference(a, b) {
  if (!isComparable(a, b)) return null;
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      if (!isSame(a, b, x, y)) return { x, y };
    }
  }
  return null;
}

function draw(picture, color) {
  const { width, height } = picture;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  const out = new Uint32Array(image.data.buffer);
  let at = 0;
  for (let y = height - 1; y >= 0; y--) {
    for (let x = 0; x < width; x++) out[at++] = color(x, y);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function packed(red, green, blue) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** A canvas with a picture; alpha is not shown. */
export function canvas(picture) {
  if (picture.constant) {
    const [r, g, b] = Array.from(texel(picture, 0, 0), (v) => byte(picture, v));
    const color = packed(r, g, b);
    return draw(picture, () => color);
  }
  if (picture.component === "u8") {
    const words = new Uint32Array(picture.texels.buffer);
    return draw(picture, (x, y) => (words[y * picture.width + x] | 0xff000000) >>> 0);
  }
  return draw(picture, (x, y) => {
    const [r, g, b] = Array.from(texel(picture, x, y), (v) => byte(picture, v));
    return packed(r, g, b);
  });
}

/** A canvas that shows equal pixels dim and others red. */
export function differenceCanvas(a, b) {
  let count = 0;
  const canvas = draw(a, (x, y) => {
    const [one, two] = [texel(a, x, y), texel(b, x, y)];
    if (isSame(a, b, x, y)) {
      const gray = (byte(a, one[0]) + byte(a, one[1]) + byte(a, one[2])) / 24 | 0;
      return packed(gray, gray, gray);
    }
    count++;
    let most = 0;
    for (let i = 0; i < 4; i++) most = Math.max(most, Math.abs(byte(a, one[i]) - byte(b, two[i])));
    return packed(Math.min(255, most + 96), 0, 0);
  });
  return { canvas, count };
}
