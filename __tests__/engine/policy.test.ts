import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LEASE, defaultRenewDeadline, isThin, leaseProblems } from '../../src/engine/policy.js';

const seconds = (ttl: number, renewDeadline: number, maxHold = ttl) => ({
  ttl: ttl * 1_000,
  renewDeadline: renewDeadline * 1_000,
  maxHold: maxHold * 1_000,
});

describe('a lease', () => {
  it('is sound and roomy by default', () => {
    expect(leaseProblems(DEFAULT_LEASE)).toEqual([]);
    expect(isThin(DEFAULT_LEASE)).toBe(false);
  });

  it.each([seconds(600, 300), seconds(4, 2), seconds(604_800, 3_600)])('%j is sound', (lease) => {
    expect(leaseProblems(lease)).toEqual([]);
  });

  it.each([
    [seconds(600, 301), 'half of ttl'],
    [seconds(3, 1), 'between 4s and 7d'],
    [seconds(604_801, 300), 'between 4s and 7d'],
    [seconds(600, 0), '1s or longer'],
    [seconds(600, 300, 599), 'max-hold must be at least ttl'],
  ])('%j is refused', (lease, problem) => {
    expect(leaseProblems(lease)).toEqual([expect.stringContaining(problem)]);
  });

  it('is thin when less than a minute lies between deadline and ttl', () => {
    expect(isThin(seconds(120, 60))).toBe(false);
    expect(isThin(seconds(119, 59.5))).toBe(true);
  });

  it.each([
    [600_000, 300_000],
    [7_200_000, 300_000],
    [360_000, 180_000],
    [5_000, 2_000],
  ])('of %d ms has the renew deadline %d ms unless another is asked for', (ttl, deadline) => {
    expect(defaultRenewDeadline(ttl)).toBe(deadline);
    expect(leaseProblems({ ttl, renewDeadline: deadline, maxHold: ttl })).toEqual([]);
  });
});
