import { total } from './cart.js';

describe('cart', () => {
  it('multiplies', () => expect(total(2, 3)).toBe(6));
  it('is wrong', () => expect(total(1, 1)).toBe(2));
  it.skip('comes later', () => {});
});
