import type { Contract } from './contract/contract.ts';
import type { Interceptors } from './interceptors/interceptors.ts';
import type { AllowedHosts } from './webhooks/allowed-hosts.ts';

/** What operations need to call others before they answer. The code is loaded at the first such call. */
export function callsOut(contract: Contract, allow: readonly string[]) {
  let hosts: Promise<AllowedHosts> | undefined;
  let interceptors: Promise<Interceptors> | undefined;
  const allowedHosts = () => (hosts ??= openHosts(allow));
  return {
    allowedHosts,
    interceptors: () => (interceptors ??= openInterceptors(contract, allowedHosts())),
  };
}

async function openHosts(allow: readonly string[]): Promise<AllowedHosts> {
  const { AllowedHosts } = await import('./webhooks/allowed-hosts.ts');
  return new AllowedHosts(allow);
}

async function openInterceptors(contract: Contract, hosts: Promise<AllowedHosts>): Promise<Interceptors> {
  const { Interceptors } = await import('./interceptors/interceptors.ts');
  return new Interceptors(contract, await hosts);
}
