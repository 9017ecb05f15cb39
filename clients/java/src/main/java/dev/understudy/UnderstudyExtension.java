package dev.understudy;

import java.lang.reflect.Constructor;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
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
 * is made.
 */
public final class UnderstudyExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(UnderstudyExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == UnderstudyEnvironment.class || type == UnderstudyService.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == UnderstudyService.class) return serviceOf(context);
        if (parameter.getDeclaringExecutable() instanceof Constructor)
            throw new ParameterResolutionException("a constructor cannot have the environment of a test: make it a "
                    + "parameter of the test or of a method with @BeforeEach");
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(keyOf(context), key -> new TestEnvironment(context), TestEnvironment.class)
                .environment;
    }

    /** The environment is dropped later, so that other extensions can use it at the end of the test. */
    @Override
    public void afterEach(ExtensionContext context) {
        boolean isFailed = context.getExecutionException()
                .filter(exception -> !(exception instanceof TestAbortedException))
                .isPresent();
        for (Optional<ExtensionContext> each = Optional.of(context);
                isFailed && each.isPresent();
                each = each.get().getParent()) {
            TestEnvironment made =
                    each.get().getStore(NAMESPACE).get(keyOf(each.get()), TestEnvironment.class);
            if (made != null) publish(context, made.environment);
        }
    }

    private static void publish(ExtensionContext context, UnderstudyEnvironment environment) {
        String title = "Understudy journal of " + environment.name();
        String journal = journalOf(environment);
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

    private static UnderstudyService serviceOf(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        UnderstudyService.class,
                        key -> new TestService(new Configuration(context).service()),
                        TestService.class)
                .service;
    }

    /** The key of a class must not be that of its tests, because a store also finds what its parents have. */
    private static String keyOf(ExtensionContext context) {
        return context.getUniqueId();
    }

    private static final class TestService implements Store.CloseableResource {
        private final UnderstudyService service;

        TestService(UnderstudyService service) {
            this.service = service;
        }

        @Override
        public void close() {
            service.close();
        }
    }

    private static final class TestEnvironment implements Store.CloseableResource {
        private final UnderstudyEnvironment environment;

        TestEnvironment(ExtensionContext context) {
            EnvironmentOptions options = new Configuration(context).environment();
            annotationOf(context).ifPresent(annotation -> apply(annotation, options));
            environment = serviceOf(context).environment(options);
        }

        @Override
        public void close() {
            environment.drop();
        }

        private static Optional<Understudy> annotationOf(ExtensionContext context) {
            Optional<Understudy> nearest = Optional.empty();
            for (Optional<ExtensionContext> each = Optional.of(context);
                    nearest.isEmpty() && each.isPresent();
                    each = each.get().getParent())
                nearest = AnnotationSupport.findAnnotation(each.get().getElement(), Understudy.class);
            return nearest;
        }

        private static void apply(Understudy annotation, EnvironmentOptions options) {
            if (!annotation.fixture().isEmpty()) options.fixture(annotation.fixture());
            if (annotation.seed() >= 0) options.seed(annotation.seed());
            if (annotation.scenarios().length > 0) options.scenarios(annotation.scenarios());
            if (!annotation.clock().isEmpty()) options.clock(annotation.clock());
            if (annotation.strict()) options.strict(true);
        }
    }
}
