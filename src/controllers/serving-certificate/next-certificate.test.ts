import { describe, expect, it } from 'vitest';
import { inspect, isGenuine, splitBundle } from '../../runtime/certificates/certificate.ts';
import { type CertificateStep, type KeptCertificates, nextCertificateStep } from './next-certificate.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-02T10:00:00Z');
const NAMES = ['convoy.convoy-system.svc'] as const;

function kept(step: CertificateStep): KeptCertificates {
  if (step.kind !== 'store') throw new Error(`the step is ${step.kind}`);
  return step.kept;
}

const first = kept(nextCertificateStep({ kept: undefined, trusted: '', names: NAMES, now: START }));

describe('the certificate of the aggregated API', () => {
  it('comes with an authority of its own, and is for the names that clients know', () => {
    expect(isGenuine(first, first.authorities)).toBe(true);
    expect(inspect(first.certificate)?.names).toEqual([...NAMES]);
  });

  it('is trusted by the APIService before anything else happens', () => {
    const step = nextCertificateStep({ kept: first, trusted: '', names: NAMES, now: START });
    expect(step).toEqual({ kind: 'publish', authorities: first.authorities });
  });

  it('is left alone until a third of its life is left', () => {
    const step = nextCertificateStep({ kept: first, trusted: first.authorities, names: NAMES, now: START });
    if (step.kind !== 'wait') throw new Error(step.kind);
    const days = (step.until - START) / DAY;
    expect([days > 55, days < 65]).toEqual([true, true]);
  });

  it('is made anew by the same authority then', () => {
    const next = kept(
      nextCertificateStep({ kept: first, trusted: first.authorities, names: NAMES, now: START + 65 * DAY }),
    );
    expect(next.authorities).toBe(first.authorities);
    expect(next.certificate).not.toBe(first.certificate);
    expect(isGenuine(next, first.authorities)).toBe(true);
  });

  it('is made anew for other names, and when its key is not its own', () => {
    const other = ['convoy.elsewhere.svc'] as const;
    const trusted = first.authorities;
    expect(
      inspect(kept(nextCertificateStep({ kept: first, trusted, names: other, now: START })).certificate)?.names,
    ).toEqual([...other]);
    const torn = { ...first, key: first.authorityKey };
    expect(isGenuine(kept(nextCertificateStep({ kept: torn, trusted, names: NAMES, now: START })), trusted)).toBe(true);
  });

  it('follows its authority: the new one signs only when it is trusted beside the old one', () => {
    const now = START + 250 * DAY;
    const names = NAMES;
    const two = kept(nextCertificateStep({ kept: first, trusted: first.authorities, names, now }));
    expect(splitBundle(two.authorities)).toHaveLength(2);
    expect(two.certificate).toBe(first.certificate);

    expect(nextCertificateStep({ kept: two, trusted: first.authorities, names, now })).toEqual({
      kind: 'publish',
      authorities: two.authorities,
    });

    const signed = kept(nextCertificateStep({ kept: two, trusted: two.authorities, names, now }));
    const [newest = '', oldest = ''] = splitBundle(signed.authorities);
    expect([isGenuine(signed, newest), isGenuine(signed, oldest)]).toEqual([true, false]);

    const later = START + 366 * DAY;
    const publish = nextCertificateStep({ kept: signed, trusted: signed.authorities, names, now: later });
    expect(publish).toEqual({ kind: 'publish', authorities: newest });
  });

  it.each(['authorities', 'authorityKey', 'certificate', 'key'] as const)(
    'is whole again when %s was spoiled',
    (part) => {
      let now: KeptCertificates = { ...first, [part]: 'nonsense' };
      let trusted = first.authorities;
      for (let steps = 0; steps < 5; steps += 1) {
        const step = nextCertificateStep({ kept: now, trusted, names: NAMES, now: START });
        if (step.kind === 'store') now = step.kept;
        else if (step.kind === 'publish') trusted = step.authorities;
        else break;
      }
      expect(isGenuine(now, splitBundle(trusted)[0] ?? '')).toBe(true);
    },
  );
});
