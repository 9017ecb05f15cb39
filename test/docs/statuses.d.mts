export function expectedStatuses(block: { text: string; line: number }): { status: number; line: number }[];
