import { addressesIn } from './links.js';

/** How texts and people look. All that people type becomes text nodes, never markup. */

/** The text as nodes: plain text, with web and mail addresses as links. */
export function words(text) {
  const nodes = document.createDocumentFragment();
  let written = 0;
  for (const { start, end, href } of addressesIn(text)) {
    nodes.append(text.slice(written, start), link(text.slice(start, end), href));
    written = end;
  }
  nodes.append(text.slice(written));
  return nodes;
}

/** Isolated and left to right: text around it could otherwise make it seem to lead elsewhere. */
function link(address, href) {
  const anchor = document.createElement('a');
  anchor.href = href;
  anchor.textContent = address;
  anchor.dir = 'ltr';
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  return anchor;
}

/** Gives a person's picture, an initial on a colour of their own. */
export function showAvatar(element, name) {
  element.textContent = (name.match(/\p{L}|\p{N}|\p{Extended_Pictographic}/u)?.[0] ?? '?').toUpperCase();
  showColour(element, name);
}

/** The colour goes with the name, since user ids change from tab to tab: one of twelve that can be told apart. */
export function showColour(element, name) {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
  element.style.setProperty('--hue', String(((Math.imul(hash, 0x9e3779b1) >>> 16) % 12) * 30 + 15));
}
