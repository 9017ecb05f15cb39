import { createApp } from './app.js';

const { env } = process;
const port = env.PORT ?? 3000;
const app = createApp({
  appUrl: env.APP_URL ?? `http://localhost:${port}`,
  sessionSecret: env.SESSION_SECRET,
  scalekit: {
    url: env.SCALEKIT_ENVIRONMENT_URL,
    clientId: env.SCALEKIT_CLIENT_ID,
    clientSecret: env.SCALEKIT_CLIENT_SECRET,
    webhookSecret: env.SCALEKIT_WEBHOOK_SECRET,
  },
});
app.listen(port);
