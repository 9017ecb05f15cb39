/** The status comment of each call in an `sh` block: `# 201`, or `# 201, and why`. */
export function expectedStatuses({ text, line }) {
  return text.split('\n').flatMap((each, index) => {
    const [, status] = /# (\d{3})(?:,.*)?$/.exec(each) ?? [];
    return status === undefined ? [] : [{ status: Number(status), line: line + index }];
  });
}
