import { deviceOf } from '../sign-in/device.ts';

const NAMES = { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet' } as const;

/** As interceptors are told it. */
export function deviceType(userAgent: string) {
  const { device_type } = deviceOf(userAgent, '');
  return NAMES[device_type as keyof typeof NAMES] ?? 'Unknown';
}
