package dev.understudy;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The settings {@code understudy.…}: system properties, or lines of junit-platform.properties. */
final class Configuration {
    private final ExtensionContext context;

    Configuration(ExtensionContext context) {
        this.context = context;
    }

    UnderstudyService service() {
        return joinedUrl().map(UnderstudyService::connect).orElseGet(() -> UnderstudyService.start(startOptions()));
    }

    /** A service that was started here has these settings itself. */
    EnvironmentOptions environment() {
        EnvironmentOptions options = new EnvironmentOptions();
        if (joinedUrl().isEmpty()) return options;
        setting("fixture").ifPresent(options::fixture);
        number("seed").ifPresent(options::seed);
        return options;
    }

    /** System properties come first, then the variable, then the file. */
    Optional<String> joinedUrl() {
        Optional<String> property = property("url");
        if (property.isPresent()) return property;
        if (property("command").isPresent() || property("image").isPresent()) return Optional.empty();
        Optional<String> variable = Optional.ofNullable(System.getenv("UNDERSTUDY_URL")).filter(url -> !url.isEmpty());
        return variable.isPresent() ? variable : setting("url");
    }

    private StartOptions startOptions() {
        StartOptions options = new StartOptions();
        setting("command").ifPresent(command -> options.command(command.strip().split("\\s+")));
        setting("image").ifPresent(options::image);
        setting("download").ifPresent(options::download);
        setting("fixture").ifPresent(options::fixture);
        number("seed").ifPresent(options::seed);
        number("port").ifPresent(options::port);
        folders("scenarios", options::scenarioFolder);
        folders("fixtures", options::fixtureFolder);
        report().ifPresent(options::report);
        return options;
    }

    /** A service that is joined writes its own reports. */
    private Optional<String> report() {
        Optional<String> property = property("report");
        if (property.isPresent()) return property;
        Optional<String> variable = StartOptions.variable("UNDERSTUDY_REPORT");
        return variable.isPresent() ? variable : setting("report");
    }

    /** The tests whose environments are kept: {@code failed}, {@code all} or an empty text. */
    String keptTests() {
        Optional<String> property = property("keep");
        Optional<String> variable = StartOptions.variable("UNDERSTUDY_KEEP");
        String kept = property.or(() -> variable).or(() -> setting("keep")).orElse("");
        if (kept.isEmpty() || kept.equals("failed") || kept.equals("all")) return kept;
        throw new ExtensionConfigurationException("UNDERSTUDY_KEEP must be failed or all, not " + kept);
    }

    private void folders(String name, Consumer<Path> use) {
        setting(name).ifPresent(text -> Stream.of(text.split(",")).map(String::strip).map(Path::of).forEach(use));
    }

    private Optional<Integer> number(String name) {
        return setting(name).map(text -> {
            try {
                return Integer.valueOf(text);
            } catch (NumberFormatException error) {
                throw new ExtensionConfigurationException(
                        "understudy." + name + " must be a whole number, not " + text, error);
            }
        });
    }

    private Optional<String> setting(String name) {
        return context.getConfigurationParameter("understudy." + name);
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty("understudy." + name));
    }
}
