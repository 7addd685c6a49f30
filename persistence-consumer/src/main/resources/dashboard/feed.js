/**
 * Asks the same question again and again, and tells those who listen. Never two at once; only while the page is seen; as
 * long as asked after an error.
 */
export class Feed {
  #rest;
  #path;
  #every;
  #listeners = [];
  #timer = null;
  #asking = null;
  #on = false;

  /** The last answer, when it came by the clock of this page, and what is wrong now. */
  answer = null;
  received = 0;
  problem = null;

  /** Whether there is nothing to ask now. */
  idle = false;

  /**
   * @param path returns the path to request now; null: none
   * @param every milliseconds between an answer and the next question
   */
  constructor(rest, path, every) {
    this.#rest = rest;
    this.#path = path;
    this.#every = every;
  }

  listen(listener) {
    this.#listeners.push(listener);
  }

  start() {
    if (this.#on) return;
    this.#on = true;
    this.#ask();
  }

  stop() {
    this.#on = false;
    this.#end();
  }

  /** The path has changed: earlier responses no longer apply. */
  renew() {
    this.answer = null;
    this.problem = null;
    this.again();
  }

  /** Asks at once. */
  again() {
    this.#end();
    if (this.#on) this.#ask();
  }

  /** How old the last answer is, in milliseconds; null: not known. */
  get age() {
    if (this.answer === null) return null;
    const then = this.answer.ageMillis;
    if (then === null) return null;
    return (then ?? 0) + (performance.now() - this.received);
  }

  #tell() {
    for (const listener of this.#listeners) {
      try {
        listener(this);
      } catch (error) {
        // Reported as an uncaught error: a listener does not stop the others, nor the feed.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  #end() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
  }

  async #ask() {
    const path = this.#path();
    this.idle = path === null;
    if (path === null) {
      this.#tell();
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    let pause = this.#every;
    try {
      const answer = await this.#rest.get(path, asking.signal);
      if (asking.signal.aborted) return;
      this.answer = answer;
      this.received = performance.now();
      this.problem = null;
    } catch (problem) {
      if (asking.signal.aborted) return;
      this.problem = problem;
      pause = Math.max(pause, problem.retryAfterMillis ?? 0);
      // Nothing changes before the user enters another token, which sends a new request.
      if (problem.status === 401) pause = null;
      else if (problem.status === 403) pause = 30_000;
    }
    this.#asking = null;
    // Before the callback, which may stop the feed or send a new request.
    if (this.#on && pause !== null) this.#timer = setTimeout(() => this.#ask(), pause);
    this.#tell();
  }
}
