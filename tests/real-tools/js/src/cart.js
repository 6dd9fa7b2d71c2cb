export function total(count, price) {
  if (count < 0) {
    throw new RangeError('count');
  }
  return count * price;
}
