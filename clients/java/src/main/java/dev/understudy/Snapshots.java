package dev.understudy;

import java.util.List;
import java.util.Map;

/** Named snapshots of an environment: rows, ids, clock and scenarios. They survive a reset. */
public final class Snapshots {
    private final Transport transport;

    Snapshots(Transport transport) {
        this.transport = transport;
    }

    /** Makes a snapshot. */
    public void take(String name) {
        transport.post("/snapshots", Json.object(Map.of("name", name)));
    }

    /** The names, oldest first. */
    public List<String> list() {
        return Json.list(
                transport.get("/snapshots", Query.none()).path("snapshots"),
                each -> each.path("name").asText());
    }

    /** Restores a snapshot. This can be repeated. */
    public void restore(String name) {
        transport.post("/snapshots" + Query.path(name, "restore"));
    }

    /** Deletes the snapshot. The environment stays as it is. */
    public void delete(String name) {
        transport.delete("/snapshots" + Query.path(name));
    }
}
