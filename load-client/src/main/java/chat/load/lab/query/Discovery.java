package chat.load.lab.query;

import chat.load.lab.query.Known.Room;
import chat.load.lab.query.QueryPlan.Subjects;
import chat.load.lab.query.QueryRun.Unusable;
import chat.load.lab.query.RestClient.Reply;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Finds existing rooms, users and times by reading the first and last page of each room. */
final class Discovery {
    private static final int MAX_ROOMS = 64;
    private static final int MAX_USERS = 10_000;
    private static final int PAGE = 1000;
    /** Used if no room is known. */
    private static final List<String> USUAL_ROOMS =
            IntStream.rangeClosed(1, 20).mapToObj(Integer::toString).toList();

    private final RestClient rest;
    private final Subjects given;
    private final Set<String> users = new LinkedHashSet<>();

    Discovery(RestClient rest, Subjects given) {
        this.rest = rest;
        this.given = given;
    }

    Known discover() throws Unusable, InterruptedException {
        List<Room> rooms = new ArrayList<>();
        try {
            for (String roomId : candidates()) {
                if (rooms.size() == MAX_ROOMS) break;
                Room room = room(roomId);
                if (room != null) rooms.add(room);
                else if (given.rooms().contains(roomId))
                    throw new Unusable("room " + roomId + " has no messages" + inRange());
                else if (given.runName() != null) break;
            }
        } catch (IOException unreachable) {
            throw new Unusable(String.valueOf(unreachable.getMessage()));
        }
        if (rooms.isEmpty())
            throw new Unusable(
                    given.runName() == null
                            ? "no room with messages was found" + inRange()
                                    + ": chat first, or give --room or --run-name"
                            : "run " + given.runName() + " has no messages" + inRange());
        return new Known(
                rooms,
                given.users().isEmpty() ? List.copyOf(users) : given.users(),
                rooms.stream().map(Room::from).min(Instant::compareTo).orElseThrow(),
                rooms.stream().map(Room::to).max(Instant::compareTo).orElseThrow());
    }

    private String inRange() {
        return given.from() == null && given.to() == null ? "" : " in that time";
    }

    private List<String> candidates() throws IOException, InterruptedException {
        if (!given.rooms().isEmpty()) return given.rooms();
        if (given.runName() != null)
            return IntStream.range(0, MAX_ROOMS)
                    .mapToObj(room -> given.runName() + "-" + room)
                    .toList();
        Reply top = rest.get(0, "/api/analytics/top-rooms?limit=" + MAX_ROOMS);
        JsonNode answer = top.status() == 200 && top.isJson() ? top.json() : null;
        List<String> rooms = new ArrayList<>();
        if (answer != null) for (JsonNode row : answer.path("rooms")) rooms.add(AnswerChecks.text(row, "roomId"));
        return rooms.isEmpty() ? USUAL_ROOMS : rooms;
    }

    private static long position(JsonNode row) throws Unusable {
        long position = AnswerChecks.position(row.path("position"));
        if (position < 0) throw new Unusable("a row has no position: " + row);
        return position;
    }

    private @Nullable Room room(String roomId) throws IOException, InterruptedException, Unusable {
        JsonNode first = page(roomId, 0L, null);
        if (first.isEmpty()) return null;
        JsonNode last = page(roomId, null, Long.MAX_VALUE);
        for (JsonNode page : List.of(first, last)) {
            for (JsonNode row : page)
                if (users.size() < MAX_USERS && row.has("userId")) users.add(AnswerChecks.text(row, "userId"));
        }
        JsonNode oldest = first.get(0);
        JsonNode newest = last.get(last.size() - 1);
        if (oldest == null || newest == null) return null;
        Instant from = Instant.ofEpochMilli(oldest.path("timestamp").asLong());
        Instant to = Instant.ofEpochMilli(newest.path("timestamp").asLong() + 1);
        return new Room(
                roomId,
                position(oldest),
                position(newest),
                Objects.requireNonNullElse(given.from(), from),
                Objects.requireNonNullElse(given.to(), to));
    }

    private JsonNode page(String roomId, @Nullable Long after, @Nullable Long before)
            throws IOException, InterruptedException, Unusable {
        Question question =
                new Question(Catalogue.roomMessages(), roomId, null, after, before, given.from(), given.to(), PAGE);
        Reply reply = rest.get(0, question.target());
        JsonNode answer = reply.status() == 200 ? reply.json() : null;
        if (answer == null || !answer.path("messages").isArray())
            throw new Unusable("rooms cannot be read, so that there is nothing to ask about: " + reply.inWords());
        return answer.path("messages");
    }
}
