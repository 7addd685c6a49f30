package chat.load.driver;

import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Holds a few rooms, usually one, and the clients that are in all of them. Confined to one event loop. */
final class Group {
    final RunState run;
    final Loop loop;
    final int index;
    final List<Room> rooms;
    private final List<Client> clients = new ArrayList<>();

    Group(RunState run, Loop loop, int index) {
        this.run = run;
        this.loop = loop;
        this.index = index;
        Numbering numbering = run.plan.numbering();
        int each = run.plan.roomsPerClient();
        this.rooms = new ArrayList<>(each);
        for (int i = 0; i < each; i++) rooms.add(new Room(run, this, index * each + i, i));
        for (int user = 0; user < numbering.users(); user++)
            clients.add(new Client(this, user, Guests.Kind.NONE, user * run.plan.groups() + index));
        Guests guests = run.plan.guests();
        for (int guest = index; guest < guests.count(); guest += run.plan.groups())
            clients.add(new Client(this, numbering.users() + guest / run.plan.groups(), guests.kind(), guest));
    }

    /** Connects each client at its time and then monitors the clients. */
    void connect() {
        for (Client client : clients) client.arrive();
        var unused = loop.events.scheduleAtFixedRate(this::watch, 1, 1, TimeUnit.SECONDS);
    }

    /** The chat begins. */
    void start() {
        for (Room room : rooms) room.start();
        for (Client client : clients) client.beginChat();
    }

    /** Stops members from sending new messages. */
    void stopSending() {
        for (Room room : rooms) room.stopSending();
    }

    /** The chat is over: members leave, and connections end when all LEAVEs are acknowledged. */
    void leave() {
        for (Client client : clients) client.leave();
    }

    /** The chat was aborted: connections end at once. */
    void abort() {
        for (Client client : clients) client.abort();
    }

    private void watch() {
        for (Client client : clients) client.watch();
    }
}
