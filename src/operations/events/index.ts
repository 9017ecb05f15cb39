export { events as eventsService } from './events.ts';
export { webhooks as webhookService } from './webhooks.ts';
