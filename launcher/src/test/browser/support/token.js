/** Adds what a token would say to each frame: the platform of these tests is open. */
export function namedBy(names) {
  return (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => server.send(JSON.stringify({ ...names, ...JSON.parse(frame) })));
  };
}
