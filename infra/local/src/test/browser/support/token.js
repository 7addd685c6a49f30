/** What a server that asks for tokens knows by the token: the platform of these tests is open, and wants it in each frame. */
export function namedBy(names) {
  return (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => server.send(JSON.stringify({ ...names, ...JSON.parse(frame) })));
  };
}
