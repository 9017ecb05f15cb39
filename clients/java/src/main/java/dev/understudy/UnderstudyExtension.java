package dev.understudy;

import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Starts Understudy before the first test that needs it and stops it after the last. Gives each test an
 * {@link UnderstudyEnvironment} and prints its journal if the test fails. {@link Understudy} says how the environment
 * is made; {@link #builder} does so in code, for a field with {@code @RegisterExtension}.
 */
public final class UnderstudyExtension implements ParameterResolver, BeforeAllCallback, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(UnderstudyExtension.class);
    private static final Map<Class<?>, UnderstudyEnvironment> OF_CLASSES = new ConcurrentHashMap<>();

    private final Builder given;

    /** For {@code @ExtendWith}, which {@link Understudy} has. */
    public UnderstudyExtension() {
        this(new Builder());
    }

    private UnderstudyExtension(Builder given) {
        this.given = given;
    }

    /** Says in code what {@link Understudy} and the settings {@code understudy.…} say. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The environment of a class with {@code @Understudy(perClass = true)}, for a static method that no test calls, such
     * as one with Spring's {@code @DynamicPropertySource}.
     *
     * @throws IllegalStateException if the class has none, or its tests do not run
     */
    public static UnderstudyEnvironment environmentOf(Class<?> tests) {
        UnderstudyEnvironment environment = OF_CLASSES.get(tests);
        if (environment == null)
            throw new IllegalStateException(tests.getSimpleName()
                    + " has no environment of its own: annotate it with @Understudy(perClass = true), before the "
                    + "annotations of other extensions");
        return environment;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (!settingsOf(context).perClass) return;
        Class<?> tests = context.getRequiredTestClass();
        UnderstudyEnvironment environment = environmentOf(context);
        OF_CLASSES.put(tests, environment);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == UnderstudyEnvironment.class || type == UnderstudyService.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == UnderstudyService.class) return serviceOf(context);
        boolean isOfClass = settingsOf(context).perClass;
        if (parameter.getDeclaringExecutable() instanceof Constructor && !isOfClass)
            throw new ParameterResolutionException("a constructor cannot have the environment of a test: make it a "
                    + "parameter of the test or of a method with @BeforeEach");
        return environmentOf(isOfClass ? classOf(context) : context);
    }

    /** The environment is dropped later, so that other extensions can use it at the end of the test. */
    @Override
    public void afterEach(ExtensionContext context) {
        Optional<Throwable> thrown = context.getExecutionException();
        if (thrown.filter(TestAbortedException.class::isInstance).isPresent()) return;
        Configuration configuration = new Configuration(context);
        boolean isJoined = given.start == null && configuration.joinedUrl().isPresent();
        KeptTests tests = new KeptTests(configuration.keptTests(), isJoined);
        for (Optional<ExtensionContext> each = Optional.of(context);
                each.isPresent();
                each = each.get().getParent()) {
            TestEnvironment made =
                    each.get().getStore(NAMESPACE).get(keyOf(each.get()), TestEnvironment.class);
            if (made == null) continue;
            if (thrown.isPresent()) publishFailure(context, made.environment, tests, thrown.get());
            else tests.passed(made.environment, nameOf(context));
        }
    }

    /** As {@code example.RoleTest.isCreated}, and after that the display name if it says more. */
    private static String nameOf(ExtensionContext context) {
        String method = context.getRequiredTestMethod().getName();
        String name = context.getRequiredTestClass().getName() + "." + method;
        String display = context.getDisplayName();
        return display.startsWith(method + "(") ? name : name + " > " + display;
    }

    private static void publishFailure(
            ExtensionContext context, UnderstudyEnvironment environment, KeptTests tests, Throwable thrown) {
        Optional<String> bundle = Bundles.lineOf(environment, nameOf(context), String.valueOf(thrown.getMessage()));
        String place = tests.failed(environment, nameOf(context));
        publish(context, environment, bundle.map(line -> line + "\n" + place).orElse(place));
    }

    private static void publish(ExtensionContext context, UnderstudyEnvironment environment, String place) {
        String title = "Understudy journal of " + environment.name();
        String journal = journalOf(environment) + "\n" + place;
        context.publishReportEntry(title, journal);
        System.err.println("---- " + title + " (" + context.getDisplayName() + ")\n" + journal);
    }

    private static String journalOf(UnderstudyEnvironment environment) {
        try {
            return environment.journal();
        } catch (UnderstudyException error) {
            return "the journal cannot be read: " + error.getMessage();
        }
    }

    private UnderstudyEnvironment environmentOf(ExtensionContext context) {
        Supplier<TestEnvironment> make = () -> new TestEnvironment(
                serviceOf(context).environment(settingsOf(context).environment), context.getTestClass());
        return stored(context.getStore(NAMESPACE), keyOf(context), TestEnvironment.class, make).environment;
    }

    private UnderstudyService serviceOf(ExtensionContext context) {
        new Configuration(context).keptTests(); // a wrong value must not come to light when a test fails
        Object key = given.start == null ? UnderstudyService.class : given.start;
        Supplier<TestService> start = () -> new TestService(
                given.start == null ? new Configuration(context).service() : UnderstudyService.start(given.start));
        return stored(context.getRoot().getStore(NAMESPACE), key, TestService.class, start).service;
    }

    /** JUnit 5 and 6 have different methods for this, and each deprecates or lacks that of the other. */
    private static <T> T stored(Store store, Object key, Class<T> type, Supplier<T> make) {
        synchronized (UnderstudyExtension.class) {
            T known = store.get(key, type);
            if (known != null) return known;
            T made = make.get();
            store.put(key, made);
            return made;
        }
    }

    /** The key of a class must not be that of its tests, because a store also finds what its parents have. */
    private static String keyOf(ExtensionContext context) {
        return context.getUniqueId();
    }

    /** The class whose environment a test has: that of the nearest annotation on a class. */
    private static ExtensionContext classOf(ExtensionContext context) {
        ExtensionContext nearest = context;
        for (Optional<ExtensionContext> each = Optional.of(context);
                each.isPresent() && each.get().getTestClass().isPresent();
                each = each.get().getParent()) {
            nearest = each.get();
            boolean isClass = nearest.getTestMethod().isEmpty();
            if (isClass && AnnotationSupport.isAnnotated(nearest.getElement(), Understudy.class)) break;
        }
        return nearest;
    }

    private Settings settingsOf(ExtensionContext context) {
        EnvironmentOptions usual =
                given.start == null ? new Configuration(context).environment() : new EnvironmentOptions();
        Settings settings = new Settings(usual.and(given.environment), given.perClass);
        annotationOf(context).ifPresent(settings::apply);
        return settings;
    }

    private static Optional<Understudy> annotationOf(ExtensionContext context) {
        Optional<Understudy> nearest = Optional.empty();
        for (Optional<ExtensionContext> each = Optional.of(context);
                nearest.isEmpty() && each.isPresent();
                each = each.get().getParent())
            nearest = AnnotationSupport.findAnnotation(each.get().getElement(), Understudy.class);
        return nearest;
    }

    /** What a test gets. */
    private static final class Settings {
        private final EnvironmentOptions environment;
        private boolean perClass;

        Settings(EnvironmentOptions environment, boolean perClass) {
            this.environment = environment;
            this.perClass = perClass;
        }

        void apply(Understudy annotation) {
            if (!annotation.fixture().isEmpty()) environment.fixture(annotation.fixture());
            if (annotation.seed() >= 0) environment.seed(annotation.seed());
            if (annotation.scenarios().length > 0) environment.scenarios(annotation.scenarios());
            if (!annotation.clock().isEmpty()) environment.clock(Times.instant(annotation.clock()));
            if (annotation.strict()) environment.strict(true);
            perClass |= annotation.perClass();
        }
    }

    /** Says how the extension starts Understudy, and which environments tests get. */
    public static final class Builder {
        private EnvironmentOptions environment = new EnvironmentOptions();
        private @Nullable StartOptions start;
        private boolean perClass;

        private Builder() {}

        /** What each environment starts with. */
        public Builder environment(EnvironmentOptions options) {
            environment = options;
            return this;
        }

        /** Starts a service of its own with these options, instead of the one that the settings describe. */
        public Builder start(StartOptions options) {
            start = options;
            return this;
        }

        /** All tests of the class share an environment. */
        public Builder perClass() {
            perClass = true;
            return this;
        }

        /** The extension, for a static field with {@code @RegisterExtension}. */
        public UnderstudyExtension build() {
            return new UnderstudyExtension(this);
        }
    }

    private static final class TestService implements AutoCloseable {
        private final UnderstudyService service;

        TestService(UnderstudyService service) {
            this.service = service;
        }

        @Override
        public void close() {
            service.close();
        }
    }

    private static final class TestEnvironment implements AutoCloseable {
        private final UnderstudyEnvironment environment;
        private final Optional<Class<?>> tests;

        TestEnvironment(UnderstudyEnvironment environment, Optional<Class<?>> tests) {
            this.environment = environment;
            this.tests = tests;
        }

        @Override
        public void close() {
            tests.ifPresent(each -> OF_CLASSES.remove(each, environment));
            environment.close();
        }
    }
}
