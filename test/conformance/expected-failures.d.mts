export function passedEntries(list: string, results: string): string[];
