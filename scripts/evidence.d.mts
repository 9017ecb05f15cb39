export function readRules(): { id: string; decides: boolean }[];
