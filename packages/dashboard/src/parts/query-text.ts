import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useCalm } from '../data.ts';
import { changeQuery, route } from '../route.ts';

/** A text of the address, such as the words of a search. What is typed goes into the address a moment later. */
export function useQueryText(
  name: string,
  change = (text: string) => changeQuery({ [name]: text }),
): Signal<string> {
  const known = route.value.query.get(name) ?? '';
  const text = useSignal(known);
  const sent = useRef(known);
  const calm = useCalm(text.value);
  useEffect(() => {
    if (calm !== text.peek() || calm === sent.current) return;
    sent.current = calm;
    change(calm);
  }, [calm]);
  // The reader has followed a link to another address, or has gone back.
  useEffect(() => {
    if (known !== sent.current) text.value = sent.current = known;
  }, [known]);
  return text;
}
