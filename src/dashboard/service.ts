import { ownToken } from './own-token.ts';
import { environment } from './session.ts';

interface Refusal {
  message?: string;
  error?: string;
  error_description?: string;
  details?: { validation_error_info?: { field_violations?: { field: string; description: string }[] } }[];
}

/** Calls the API of the service as the environment's own client. The journal has the call. */
export async function callService<T>(method: string, path: string, body?: object): Promise<T> {
  const own = await environment.value.get();
  const response = await fetch(path, {
    method,
    headers: {
      'understudy-environment': own.name,
      authorization: `Bearer ${await ownToken(own)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return readAnswer(response);
}

/** The body of the answer; throws the error of the server. */
export async function readAnswer<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw new Error(complaintIn(text) ?? `${response.status} ${text}`);
}

function complaintIn(text: string): string | undefined {
  try {
    const { error, error_description, message, details = [] } = JSON.parse(text) as Refusal;
    if (error !== undefined) return [error, error_description].filter(Boolean).join(': ');
    const violations = details.flatMap((detail) => detail.validation_error_info?.field_violations ?? []);
    return [message, ...violations.map(({ field, description }) => `${field}: ${description}`)].join('\n');
  } catch {
    return undefined;
  }
}
