package dev.understudy;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test an isolated environment of Understudy, as a parameter of the type {@link UnderstudyEnvironment}. The
 * annotation of a method replaces the annotation of its class.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(UnderstudyExtension.class)
public @interface Understudy {
    /** The rows that the environment starts with: the name of a fixture. */
    String fixture() default "";

    /** The number that ids, secrets and random values come from. Below zero: that of the service. */
    int seed() default -1;

    /** The names of scenarios to load. */
    String[] scenarios() default {};

    /** The time at which the clock stands still, such as {@code 2030-01-01T09:00:00Z}. */
    String clock() default "";

    /**
     * Whether all tests of the class share an environment, which is there before a Spring context starts:
     * {@link UnderstudyExtension#environmentOf}.
     */
    boolean perClass() default false;

    /** Whether the service refuses fields that the contract does not name. */
    boolean strict() default false;
}
