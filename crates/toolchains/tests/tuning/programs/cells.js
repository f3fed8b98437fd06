let cells = 0;
for (let round = 0; round < 50; round++) {
  const list = [];
  for (let cell = 0; cell < 20000; cell++) list.push({ cell });
  cells += list.length;
}
console.log(cells);
