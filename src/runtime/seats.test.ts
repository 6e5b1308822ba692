import { expect, test } from 'vitest';
import { Seats } from './seats.ts';

/** A promise and what fulfils it. */
function door(): { readonly opened: Promise<void>; readonly open: () => void } {
  return (({ promise, resolve }) => ({ opened: promise, open: () => resolve() }))(Promise.withResolvers<void>());
}

test('no more work at once than there are seats, in the order in which they were asked for', async () => {
  const seats = new Seats(2);
  const doors = [door(), door(), door()];
  const third = door();
  const begun: number[] = [];
  const all = doors.map(({ opened }, index) =>
    seats.on(async () => {
      begun.push(index);
      if (index === 2) third.open();
      await opened;
      return index;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  doors[1]?.open();
  await third.opened;
  expect(begun).toEqual([0, 1, 2]);
  for (const { open } of doors) open();
  expect(await Promise.all(all)).toEqual([0, 1, 2]);
});

test('whoever waits for somebody else takes up no seat, and takes one again', async () => {
  const seats = new Seats(1);
  const [answer, work] = [door(), door()];
  const told: string[] = [];
  const first = seats.on(async () => {
    await seats.off(() => answer.opened);
    told.push('first goes on');
  });
  const second = seats.on(async () => {
    told.push('second');
    await work.opened;
    told.push('second ends');
  });
  answer.open();
  work.open();
  await Promise.all([first, second]);
  expect(told).toEqual(['second', 'second ends', 'first goes on']);
});

test('work that fails gives its seat back', async () => {
  const seats = new Seats(1);
  const fails = () => Promise.reject(new Error('no'));
  await expect(seats.on(fails)).rejects.toThrow('no');
  await expect(seats.on(() => seats.off(fails))).rejects.toThrow('no');
  expect(await seats.on(() => Promise.resolve('done'))).toBe('done');
});
