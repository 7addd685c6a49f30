/** Says how the connection is: a word beside the room's name, and a banner where there is something to wait for or to do. */
export class Status {
  #state = document.getElementById('state');
  #text = document.getElementById('state-text');
  #banner = document.getElementById('banner');
  #bannerText = document.getElementById('banner-text');
  #action = document.getElementById('banner-action');
  #ticking = 0;
  #waiting = 0;
  #unkept = 0;
  #said = '';

  constructor(onRetry) {
    this.#action.onclick = onRetry;
  }

  show(state) {
    clearInterval(this.#ticking);
    const returning = this.#banner.hidden === false;
    switch (state.name) {
      case 'joined':
        this.#say('joined', 'Connected');
        this.#banner.hidden = true;
        break;
      case 'connecting':
        if (returning && !navigator.onLine) {
          // A background attempt.
          this.#say('offline', 'Offline');
          this.#announce('You are offline.', null);
        } else {
          this.#say('connecting', returning ? 'Reconnecting' : 'Connecting');
          if (returning) this.#announce('Reconnecting\u2026', null);
        }
        break;
      case 'waiting':
        // The countdown is for the eyes only: read out, it would never stop.
        this.#say(navigator.onLine ? 'waiting' : 'offline', navigator.onLine ? 'Reconnecting' : 'Offline');
        this.#countDown(state.until);
        this.#ticking = setInterval(() => this.#countDown(state.until), 250);
        break;
      case 'closed':
        this.#say('closed', 'Disconnected');
        this.#announce(state.code === null ? `No connection: ${state.reason}` : `The server closed the connection: ${state.reason}`, 'Join again');
        break;
    }
  }

  /** Shows how many own texts wait for the connection, and how many a reload would lose. */
  queued(waiting, unkept) {
    if (this.#waiting === waiting && this.#unkept === unkept) return;
    this.#waiting = waiting;
    this.#unkept = unkept;
    this.#showSaid();
  }

  end() {
    clearInterval(this.#ticking);
    this.#banner.hidden = true;
  }

  #countDown(until) {
    const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
    const what = navigator.onLine ? 'No connection.' : 'You are offline.';
    this.#announce(`${what} Reconnecting in ${seconds} s`, 'Try now');
  }

  #say(state, text) {
    this.#state.dataset.state = state;
    if (this.#text.textContent !== text) this.#text.textContent = text;
  }

  #announce(text, action) {
    this.#banner.hidden = false;
    this.#banner.dataset.state = this.#state.dataset.state;
    this.#said = text;
    this.#showSaid();
    this.#action.hidden = action === null;
    if (action !== null && this.#action.textContent !== action) this.#action.textContent = action;
  }

  #showSaid() {
    if (this.#banner.hidden) return;
    const parts = [this.#said];
    if (this.#waiting > 0) parts.push(this.#waiting === 1 ? '1 message waits and will be sent then' : `${this.#waiting} messages wait and will be sent then`);
    if (this.#unkept > 0) parts.push(`Do not reload: ${this.#unkept === 1 ? '1 text' : `${this.#unkept} texts`} would be lost`);
    const text = parts.join(' \u00b7 ');
    if (this.#bannerText.textContent !== text) this.#bannerText.textContent = text;
  }
}
