/** Identity, room and message ids and positions are strings; times are milliseconds since 1970, by the server's clock. */

/**
 * Why something was refused or failed. `code` is one of the protocol's (docs/reference/protocol.md), such as `INVALID` or
 * `UNAVAILABLE`, or one of the client's own:
 *
 * - `NOT_STORED`: accepted and delivered, but the database could not store it; sent again with the same `messageId` it is
 *   not stored, either
 * - `QUEUE_FULL`: as many messages wait as may (`queueLimit`)
 * - `EXPIRED`: found in the storage, and older than `queueMaxAgeMs`
 * - `DISCONNECTED`: the connection was lost before the answer came (never for messages: those are sent again)
 * - `CLOSED`: the room was left, or the client closed, before the answer came
 * - `TOKEN`: the `token` function failed, did not answer within 10 s, or answered what cannot go as a subprotocol; it is
 *   asked again
 * - `ADDRESS`: no socket can be made for the address, such as `ws://` from a page of `https://`; nothing more is tried
 *   before `connect()` or the next `join`
 * - `REFUSED`: the server refuses the connection, with HTTP `status` and `reason`: the page's origin, the token, a limit.
 *   If it is not `retryable`, nothing more is tried before `connect()` or the next `join`
 * - `UNREACHABLE`: nothing answers, or, to a page of another origin, nothing that it may read; connecting goes on
 */
export class ConfabError extends Error {
  constructor(
    code: string,
    message?: string,
    more?: { retryable?: boolean; retryAfterMs?: number | null; status?: number | null; reason?: string | null; detail?: string | null },
  );
  readonly code: string;
  readonly retryable: boolean;
  /** Milliseconds after which to try again, where the server has told. */
  readonly retryAfterMs: number | null;
  /** Of `REFUSED`: the HTTP status. 426: the server would accept, so something in between does not pass the upgrade on. */
  readonly status: number | null;
  /** Of `REFUSED`: the server's word for programs, such as `origin` or `token-expired`. */
  readonly reason: string | null;
  /** Of `REFUSED`: the server's words for people. */
  readonly detail: string | null;
}

/** - `disconnected`: nothing is tried. - `connecting`: trying, or waiting to. - `connected`: a room has been joined. */
export type State = 'disconnected' | 'connecting' | 'connected';

export interface StateEvent {
  state: State;
  /** The close code that led here, if one did. */
  code: number | null;
  /** The server's reason, or why no socket could be created. */
  reason: string;
  /** While it waits: when it connects next, by this machine's clock. */
  retryAt: number | null;
}

/** The used part of `localStorage`. All calls are synchronous; any may throw. */
export interface QueueStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The used part of the browser's WebSocket; the package `ws` is compatible. */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
}

/** The part of `URL` that the client uses. */
export interface UrlLike {
  readonly href: string;
  toString(): string;
}

/** The part of `fetch` that the client uses. */
export type FetchLike = (
  url: string,
  init: any,
) => Promise<{ readonly status: number; readonly headers: { get(name: string): string | null }; json(): Promise<any> }>;

export interface ClientOptions {
  /** Digits; with tokens, the user id of the token. May be omitted with tokens, but then nothing survives a reload. */
  userId?: string;
  /** 3 to 20 letters and digits; with a token what that says, or left out. */
  username?: string;
  /**
   * Shown to people: 1 to 64 characters of any script in Unicode form NFC, not all blank, without control characters and
   * bidirectional overrides. Without it they see the username. With a token what that says, or left out.
   */
  displayName?: string;
  /**
   * Sent as WebSocket subprotocol. A function is asked for each connection that needs a new one, and to replace one in
   * time (`refresh`), without a new socket.
   */
  token?: string | ((why: 'connect' | 'refresh') => string | null | Promise<string | null>);
  /** Needed if there is no global WebSocket. */
  WebSocket?: new (url: string, protocols: string[]) => WebSocketLike;
  /** Asks why a connection was refused, which a WebSocket does not say. Default: the global one. `null`: the client does not ask. */
  fetch?: FetchLike | null;
  /** Keeps unaccepted messages over reloads, under `userId`. Default: `localStorage` in browsers. `null`: nothing is kept. */
  storage?: QueueStorage | null;
  /** Messages that may wait in one room: 1000. */
  queueLimit?: number;
  /** Older messages found in the storage fail as `EXPIRED`: one day. */
  queueMaxAgeMs?: number;
  /**
   * How long refusals of a message that invite a retry are followed by one before it fails: 60 s, from its first refusal, or
   * from the room's last acceptance. Time without a connection does not count.
   */
  patienceMs?: number;
  /** Messages under way at a time in one room: 1. With more a refusal can change their order. */
  window?: number;
}

export interface JoinOptions {
  /** A position: everything after it follows. */
  resume?: string;
  /** This many of the latest messages first; not together with `resume`. */
  history?: number;
  /** Whether to be told what is stored. */
  stored?: boolean;
}

export interface SendOptions {
  /** The state to wait for: `accepted` (the message has a position) or `stored` (it is in the database, too). */
  until?: 'accepted' | 'stored';
  /** A UUID of 36 characters, in either case, to resend a failed message; converted to lower case. Default: a new one. */
  messageId?: string;
}

export interface Sent {
  messageId: string;
  /** Its address in the room's order. With a `window` above 1: its own, or that of a later one acknowledged with it. */
  position: string;
}

export interface Member {
  userId: string;
  username: string;
  /** Shown to people; absent in rosters where it is the username. Two members can have the same. */
  displayName?: string;
}

export interface Presence extends Member {
  messageId: string;
  timestamp: number;
  /** That of the last message of the frame it came in: its own, or a later one. */
  position: string;
  /** Whether it is ours: of the `userId` given, and of the `username` if one was. Without a `userId` only what was sent here. */
  own: boolean;
}

export interface Message extends Presence {
  text: string;
}

export interface Pending {
  messageId: string;
  text: string;
  /** By this machine's clock. */
  writtenAt: number;
}

export interface Roster {
  members: number;
  roster: Member[];
  /** The value of `after` for the next page; null if there is none. */
  next: string | null;
}

export interface Limits {
  maxFrameBytes: number;
  maxMessageLength: number;
  /** The form of user ids, where no token gives them. */
  userIds: 'numbers' | 'ascii';
  /** Only where ids are numbers. */
  maxUserId?: number;
  /** Whether a frame may leave the username out, where no token gives it. */
  usernames: 'required' | 'derived';
  maxHistory: number;
}

export interface RoomEvents {
  /** A text, ours included. Each once, in the room's order. */
  message: Message;
  /**
   * A person came, not a further session of theirs, as far as it is known here who is in the room: what `roster` has told is.
   * Not in rooms of more than 200, which have `members`.
   */
  joined: Presence;
  /** A person has left with the last session, and has not come back within 3 s. */
  left: Presence;
  /** How many are here, and who came and went without a message that says so. */
  members: { members: number; joined: Member[]; left: Member[]; more: boolean };
  /** Messages after `from` and up to `to` may be missing here. */
  gap: { from: string; to: string };
  /** The server refused something that is not a message, such as a JOIN for now. */
  error: ConfabError;
  /** The server has let us in; again after each reconnect, and at once for a further `join` of a room. */
  open: { position: string; members: number; serverId: string; limits: Limits; you: Member };
  /** This use of the room has ended: it was left, or the server does not let us in. */
  closed: ConfabError;
  /** An own message waits. `kept`: it would survive a reload. */
  queued: Pending & { kept: boolean };
  accepted: Sent & { timestamp: number };
  failed: { messageId: string; text: string; error: ConfabError };
  /** Everything up to this position is stored, but own messages that are named: the database could not store them. */
  stored: { position: string; notStored: string[] };
}

export interface ClientEvents {
  state: StateEvent;
  /** Without a room: a token that could not be had, a refused refresh, an address that no socket can be made for. */
  error: ConfabError;
}

/** One use of a room. All uses of a room that one client has share a membership: its messages, its queue and its position. */
export interface Room {
  readonly name: string;
  /** Whether the server has let us in on the present socket. */
  readonly joined: boolean;
  /** The last position seen: what to resume from in another life. */
  readonly position: string | null;
  /** People in the room, on all servers, as last told. */
  readonly members: number;
  /** Own messages not yet accepted, those of an earlier life included; oldest first. */
  readonly pending: Pending[];

  /** Returns what ends the listening. */
  on<K extends keyof RoomEvents>(type: K, listener: (event: RoomEvents[K]) => void): () => void;

  /**
   * Sends a text now or when there is a connection. Rejects with a {@link ConfabError} once it has failed for good; a lost
   * connection is no failure. Arguments that are wrong reject with a `TypeError`.
   */
  send(text: string, options?: SendOptions): Promise<Sent>;

  /** A page of who is here, ascending by userId. */
  roster(options?: { after?: string; limit?: number }): Promise<Roster>;

  /**
   * Ends this use. With the last use of a room the client leaves it: what is not accepted fails with `CLOSED`, stays in the
   * storage, and is sent after the next join.
   */
  leave(): void;
}

export class ConfabClient {
  /**
   * Connects with the first `join`.
   *
   * @param url where Confab is: `wss://host/`, or `https://host/path/`; `chat/{room}` is added
   */
  constructor(url: string | UrlLike, options?: ClientOptions);

  readonly state: State;
  /** One use of each room that is joined. */
  readonly rooms: Room[];

  on<K extends keyof ClientEvents>(type: K, listener: (event: ClientEvents[K]) => void): () => void;

  /**
   * Joins a room, now or when there is a connection, and again after every reconnect. A room may be joined several times: each
   * call returns a `Room` of its own, and the client leaves when each of them was left. The options of the first count: a later
   * use gets `open` at once and new messages only, no history. It throws `ALREADY_JOINED` if it asks for `stored: true` and the
   * first did not.
   */
  join(room: string, options?: JoinOptions): Room;

  /** Connects immediately, for a "try now" button; also after the server has closed the client for good. */
  connect(): void;

  /** Leaves all rooms and closes the socket. */
  close(): void;
}

/** A UUID of version 7, above all those made before it. */
export function uuidV7(): string;
