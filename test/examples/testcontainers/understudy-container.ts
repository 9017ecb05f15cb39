import { GenericContainer, Wait } from 'testcontainers';
import { connectUnderstudy, type Understudy } from 'understudy-server/testing';

const PORT = 8080;

/** Starts a container from the image (`docker build -t understudy .`). `stop()` removes it. */
export async function startContainer(image = 'understudy'): Promise<Understudy> {
  const container = await new GenericContainer(image)
    .withExposedPorts(PORT)
    .withEnvironment({ UNDERSTUDY_MEMORY: '1' })
    .withWaitStrategy(Wait.forHealthCheck())
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(PORT)}`;
  return connectUnderstudy(url, { stop: () => container.stop() });
}
