/** A server in the place of the real one: it lets everybody in, and says nothing but what it is told to. */
export class ScriptedServer {
  #socket;
  #onJoin;
  /** Who joined last. */
  userId;

  /** @param {(roomId: string) => void} onJoin somebody has been let in */
  constructor(onJoin = () => {}) {
    this.#onJoin = onJoin;
  }

  /** Takes the real server's place for every socket that the page opens from now on. */
  async instead(page) {
    await page.routeWebSocket(/\/chat\//, (socket) => {
      this.#socket = socket;
      socket.onMessage((frame) => this.#answer(JSON.parse(frame)));
    });
  }

  send(frame) {
    this.#socket.send(JSON.stringify(frame));
  }

  #answer({ messageType, roomId, userId, username }) {
    this.userId = userId;
    if (messageType === 'JOIN') {
      const limits = { maxFrameBytes: 65536, maxMessageLength: 500, userIds: 'numbers', maxUserId: 100000, usernames: 'required', maxHistory: 500 };
      this.send({ type: 'WELCOME', roomId, serverId: 'server-1', position: '1000', members: 1, pingIntervalMs: 25000, limits });
      this.#onJoin(roomId);
      this.send({ type: 'MEMBERS', roomId, members: 1, joined: [], left: [], more: false });
    } else if (messageType === 'MEMBERS') {
      this.send({ type: 'MEMBERS', roomId, members: 1, roster: [{ userId, username }], next: null });
    }
  }
}
