/** Whether a list is narrowed at all: one that is not needs no look at its rows to be counted. */
export const isFiltered = (query: object) =>
  Object.entries(query).some(([name, value]) => /^(filter\.|search$)/.test(name) && value !== '');
