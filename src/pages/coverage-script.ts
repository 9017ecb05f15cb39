/** Runs in the browser. Without it everything is there, and folded or not as it was sent. */
export const COVERAGE_SCRIPT = `
const search = document.querySelector('#search');
const show = document.querySelector('#show');
const shown = document.querySelector('#shown');
const tags = [...document.querySelectorAll('details')];
const rows = [...document.querySelectorAll('.operation')];
const folded = new Map(tags.map((tag) => [tag, tag.open]));

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const wanted = show.value;
  const filtering = words.length > 0 || wanted !== 'all';
  for (const row of rows) {
    const states = row.dataset.states.split(' ');
    const text = row.dataset.text;
    row.hidden = !((wanted === 'all' || states.includes(wanted)) && words.every((word) => text.includes(word)));
  }
  for (const tag of tags) {
    const some = tag.querySelector('.operation:not([hidden])') !== null;
    tag.hidden = !some;
    tag.open = filtering ? some : folded.get(tag);
  }
  const count = rows.filter((row) => !row.hidden).length;
  shown.textContent = count === rows.length ? '' : count + ' of ' + rows.length + ' operations';
}

search.addEventListener('input', filter);
show.addEventListener('change', filter);
document.querySelector('#fold').addEventListener('click', () => {
  const open = tags.some((tag) => !tag.hidden && !tag.open);
  for (const tag of tags) if (!tag.hidden) tag.open = open;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === search) return;
  event.preventDefault();
  search.focus();
});
// Paper can't be unfolded.
addEventListener('beforeprint', () => { for (const tag of tags) tag.open = true; });
document.querySelector('.tools').hidden = false;
filter();`;
