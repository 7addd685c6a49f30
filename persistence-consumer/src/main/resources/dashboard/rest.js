/** The consumer's REST: errors in words, the token where one is asked for, and what time it is there. */

const TOKEN = 'confab.dashboard.token';
const PATIENCE = 15_000;

/** An answer that is none. `status` 0: there was no answer at all. */
export class Problem extends Error {
  constructor(status, detail, retryAfterMillis = 0) {
    super(detail);
    this.status = status;
    this.retryAfterMillis = retryAfterMillis;
  }
}

export class Rest {
  #ahead = 0;
  #storage;
  #token;
  #fetch;

  /** Called when a token is needed, or the one there is does not count. */
  onTokenNeeded = () => {};

  /** @param storage of this tab: a token is forgotten with it; null: with the page */
  constructor({ fetch = (...what) => globalThis.fetch(...what), storage = tabStorage() } = {}) {
    this.#fetch = fetch;
    this.#storage = storage;
    this.#token = storage?.getItem(TOKEN) ?? null;
  }

  /** Milliseconds since 1970 by the consumer's clock, as far as it is known. */
  now() {
    return Date.now() + this.#ahead;
  }

  get token() {
    return this.#token;
  }

  set token(token) {
    this.#token = token || null;
    try {
      if (token) this.#storage?.setItem(TOKEN, token);
      else this.#storage?.removeItem(TOKEN);
    } catch {
      // Full: the page has it.
    }
  }

  async get(path, signal) {
    const answer = await this.#ask(path, { signal });
    // The viewer's clock may differ: ages give the time at the consumer.
    if (typeof answer.asOf === 'number' && typeof answer.ageMillis === 'number') {
      this.#ahead = answer.asOf + answer.ageMillis - Date.now();
    }
    return answer;
  }

  /** Changes something; the consumer takes it from its own page only. */
  post(path) {
    return this.#ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
  }

  /** By hand: not every browser has AbortSignal.any and AbortSignal.timeout. */
  async #ask(path, { signal, ...request }) {
    const asking = new AbortController();
    const abort = () => asking.abort();
    const patience = { isOver: false };
    const timer = setTimeout(() => {
      patience.isOver = true;
      abort();
    }, PATIENCE);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      return await this.#answer(path, { ...request, signal: asking.signal }, () => signal?.aborted, patience);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #answer(path, { signal, method = 'GET', headers = {}, body }, isGivenUp, patience) {
    const token = this.token;
    let response;
    try {
      response = await this.#fetch(path, {
        method,
        body,
        headers: { Accept: 'application/json', ...headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) },
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        signal,
      });
      if (response.ok) return await response.json();
    } catch (failure) {
      if (isGivenUp()) throw failure;
      throw new Problem(0, patience.isOver ? 'no answer within 15 s' : 'the consumer cannot be reached');
    }
    if (response.status === 401) this.onTokenNeeded(token !== null);
    throw new Problem(response.status, await detail(response), retryAfter(response));
  }
}

function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return null; // forbidden
  }
}

async function detail(response) {
  try {
    const said = (await response.json()).detail;
    if (typeof said === 'string') return said;
  } catch {
    // No problem document: a proxy's answer.
  }
  return response.status === 403 ? 'it is not allowed here: a proxy may be between' : `status ${response.status}`;
}

function retryAfter(response) {
  const seconds = Number(response.headers.get('Retry-After'));
  return seconds > 0 ? seconds * 1000 : 0;
}
