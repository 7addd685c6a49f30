import { isName } from './names.js';
import { isUsername } from './protocol.js';
import { tabSlot } from './storage.js';

/** The token of this tab, where the server asks for one. It is the server that checks it; here it only says who we are. */

const slot = tabSlot('token');

export function token() {
  const kept = slot.load();
  return typeof kept === 'string' ? kept : '';
}

export const keepToken = (text) => slot.save(text);

/** Whether the server asks for tokens, and takes new sockets at all at the moment. */
export async function tokensWanted() {
  try {
    const answer = await fetch(new URL('health', document.baseURI), { cache: 'no-store' });
    const { identity, capacity } = await answer.json();
    return identity === 'token' && capacity?.healthy !== false;
  } catch {
    return false;
  }
}

/** The token's user, as this page reads it; WELCOME has the server's answer. */
export function whoTokenSays() {
  const { sub, name, preferred_username: preferred } = claims();
  const displayName = [name, preferred, sub].find((text) => typeof text === 'string' && isName(text));
  return {
    userId: typeof sub === 'string' ? sub : '',
    username: typeof preferred === 'string' && isUsername(preferred) ? preferred : undefined,
    displayName,
  };
}

/** Whether its time is over, by the clock here. */
export function tokenHasEnded() {
  const { exp } = claims();
  return typeof exp === 'number' && exp * 1000 <= Date.now();
}

function claims() {
  try {
    const payload = token().split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    return {};
  }
}
