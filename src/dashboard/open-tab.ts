/** Opens an address in a new tab that knows nothing of this one. */
export function openTab(address: string): void {
  const tab = window.open(address, '_blank');
  if (tab) tab.opener = null;
}
