// Numbers with their units, as the report writes them.

/** What a unit is called, and how many of the plain unit it is; the largest first.
 * @typedef {[string, number][]} Scales */

/**
 * @param {number} value
 * @param {Scales} scales
 */
function scaleFor(value, scales) {
  const last = scales[scales.length - 1];
  if (value === 0) return scales.find(([, factor]) => factor === 1) ?? last;
  return scales.find(([, factor]) => Math.abs(value) >= 0.99995 * factor) ?? last;
}

/**
 * A value on its own, with four significant digits.
 * @param {number} value
 * @param {Scales} scales
 */
function quantity(value, scales) {
  const [symbol, factor] = scaleFor(value, scales);
  const scaled = value / factor;
  const isWhole = (symbol === "" || symbol === "B") && Number.isInteger(value);
  const size = Math.abs(scaled);
  const decimals = isWhole ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
  return withSymbol(scaled.toFixed(decimals), symbol);
}

/**
 * @param {string} text
 * @param {string} symbol
 */
function withSymbol(text, symbol) {
  return symbol === "" ? text : `${text} ${symbol}`;
}

/**
 * The largest of 1, 2 and 5 times a power of ten that is not below a value.
 * @param {number} value
 */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digits = (value / power) * (1 - 1e-9);
  return power * ([1, 2, 5].find((digit) => digit >= digits) ?? 10);
}

/**
 * Round values from `low` to `high`, and how each is written.
 * @param {number} low
 * @param {number} high
 * @param {Scales} scales
 * @param {boolean} isLogarithmic
 * @returns {{value: number, label: string}[]}
 */
function ticks(low, high, scales, isLogarithmic) {
  if (isLogarithmic && high / low >= 10) {
    const [from, to] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const every = Math.max(1, Math.ceil((to - from + 1) / 6));
    const powers = [];
    for (let power = from; power <= to; power += every) {
      const [symbol, factor] = scaleFor(10 ** power, scales);
      const label = withSymbol(String(Number((10 ** power / factor).toPrecision(3))), symbol);
      powers.push({ value: 10 ** power, label });
    }
    return powers;
  }
  const step = roundUp(Math.max(high - low, Number.MIN_VALUE) / 5);
  const [symbol, factor] = scaleFor(Math.max(Math.abs(low), Math.abs(high)), scales);
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9)));
  const all = [];
  for (let count = Math.ceil(low / step - 1e-9); count * step <= high + 1e-9 * step; count += 1) {
    const value = count * step;
    all.push({ value, label: count === 0 ? "0" : withSymbol((value / factor).toFixed(decimals), symbol) });
  }
  return all;
}
