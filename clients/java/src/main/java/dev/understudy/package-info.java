/** Starts Understudy, a simulator of the Scalekit API, from JUnit, and gives each test an isolated environment. */
@NullMarked
package dev.understudy;

import org.jspecify.annotations.NullMarked;
