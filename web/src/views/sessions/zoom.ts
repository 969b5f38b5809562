/** A range of times, in seconds. */
export interface Range {
  min: number;
  max: number;
}

/** The shortest range that a person can look at, in seconds. */
const shortest = 10;

/** What a key makes of the range that is shown; undefined: the key does nothing. The range stays within all times. */
export function zoomed(key: string, shown: Range, all: Range): Range | undefined {
  const length = shown.max - shown.min;
  const middle = (shown.min + shown.max) / 2;
  switch (key) {
    case "+":
    case "=":
      return around(middle, Math.min(length, Math.max(shortest, length / 2)), all);
    case "-":
      return around(middle, length * 2, all);
    case "ArrowLeft":
      return around(middle - length / 4, length, all);
    case "ArrowRight":
      return around(middle + length / 4, length, all);
    case "0":
      return { ...all };
    default:
      return undefined;
  }
}

/** The range of a length around a time, moved or shortened so that it is within all times. */
function around(middle: number, length: number, all: Range): Range {
  const size = Math.min(length, all.max - all.min);
  const min = Math.max(all.min, Math.min(all.max - size, middle - size / 2));
  return { min, max: min + size };
}
