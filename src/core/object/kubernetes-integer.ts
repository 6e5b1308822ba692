const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * The value of an integer as the API machinery of Kubernetes holds it: exact while it fits int64 (a bigint where a number
 * would round it), else the nearest double.
 */
export function kubernetesInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) || value < SMALLEST || value > LARGEST ? number : value;
}
