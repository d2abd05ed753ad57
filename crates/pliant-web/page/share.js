// Scenes in links: `#scene=curtain` for one that comes with Pliant, `#name=…&text=…` with a compressed text for any other.

// Longer links do not survive everything that people send them through.
const LONGEST = 30_000;
// Links come from anywhere: a few bytes could unpack to gigabytes.
const LARGEST = 1_000_000;

async function through(bytes, stream, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) throw new Error(`its scene is larger than ${most} bytes`);
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

// The part of a link after `#`, for the text of a scene.
export async function packed(name, text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const word = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const fragment = `name=${encodeURIComponent(name)}&text=${word}`;
  if (fragment.length > LONGEST) throw new Error(`the scene is too large for a link, which would have ${fragment.length} characters; download its text instead`);
  return fragment;
}

// What a link asks for: { scene }, { name, text }, or null.
export async function unpacked(fragment) {
  const asked = new URLSearchParams(fragment.replace(/^#/, ""));
  if (asked.has("scene")) return { scene: asked.get("scene") };
  if (!asked.has("text")) return null;
  try {
    const binary = atob(asked.get("text").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const text = await through(bytes, new DecompressionStream("deflate-raw"), LARGEST);
    return { name: asked.get("name") ?? "shared.toml", text: new TextDecoder("utf-8", { fatal: true }).decode(text) };
  } catch (error) {
    throw new Error(`the link is damaged: ${error.message ?? error}`);
  }
}
