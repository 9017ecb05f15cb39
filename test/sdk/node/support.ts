import { ScalekitClient } from '@scalekit-sdk/node';

const told = (name: string): string => {
  const value = process.env[`UNDERSTUDY_${name}`];
  if (!value) throw new Error(`UNDERSTUDY_${name} is not set: start this with npm run test:sdk`);
  return value;
};

/** A client as an application makes it. */
export const connect = () => new ScalekitClient(told('URL'), told('CLIENT_ID'), told('CLIENT_SECRET'));
