export function replaceFolder(folder: string, replacement: string): void;
