// Differences of two lists of rows by their texts.

// Longer lists are compared only where their beginnings and ends differ, and then as a whole.
const MOST = 3000;

/** Rows of both lists in order, with `change` "removed" or "added" where they differ. */
export function changes(old, now) {
  let start = 0;
  while (start < old.length && start < now.length && old[start].text === now[start].text) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end].text === now[now.length - 1 - end].text) end++;
  const a = old.slice(start, old.length - end);
  const b = now.slice(start, now.length - end);
  const rows = now.slice(0, start);
  const removed = (row) => rows.push({ ...row, text: `- ${row.text}`, change: "removed" });
  const added = (row) => rows.push({ ...row, text: `+ ${row.text}`, change: "added" });
  if (a.length > MOST || b.length > MOST) {
    a.forEach(removed);
    b.forEach(added);
  } else {
    const lengths = common(a, b);
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i].text === b[j].text) {
        rows.push(b[j++]);
        i++;
      } else if (i < a.length && (j === b.length || lengths[i + 1][j] >= lengths[i][j + 1])) {
        removed(a[i++]);
      } else {
        added(b[j++]);
      }
    }
  }
  return rows.concat(now.slice(now.length - end));
}

/** Lengths of the longest common subsequences of all ends. */
function common(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i][j] = a[i].text === b[j].text ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}
