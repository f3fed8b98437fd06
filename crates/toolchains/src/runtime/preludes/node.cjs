// Loaded by brisk before a program, in runs that are not timed: reports, when the program exits,
// what V8 says of its collections.
'use strict';
const v8 = require('v8');
const report = process.env.BRISK_NODE_REPORT;
if (report && v8.GCProfiler && require('worker_threads').isMainThread) {
  const fs = require('fs');
  const profiler = new v8.GCProfiler();
  profiler.start();
  process.on('exit', () => {
    const profile = profiler.stop();
    let minor = 0, major = 0, pause = 0, longest = 0;
    let live = '-', heap = v8.getHeapStatistics().total_heap_size;
    for (const { gcType, cost, beforeGC, afterGC } of profile ? profile.statistics : []) {
      if (gcType === 'Scavenge' || gcType.startsWith('Minor')) minor += 1;
      if (gcType === 'MarkSweepCompact') {
        major += 1;
        live = Math.max(live === '-' ? 0 : live, afterGC.heapStatistics.usedHeapSize);
      }
      pause += cost;
      longest = Math.max(longest, cost);
      heap = Math.max(heap, beforeGC.heapStatistics.totalHeapSize);
      heap = Math.max(heap, afterGC.heapStatistics.totalHeapSize);
    }
    const pairs = {
      minor, major,
      pause_microseconds: pause.toFixed(3),
      max_pause_microseconds: minor + major > 0 ? longest.toFixed(3) : '-',
      max_live_bytes: live,
      max_heap_bytes: heap,
    };
    const words = Object.entries(pairs).map(([key, value]) => `${key}=${value}`);
    try {
      fs.appendFileSync(report, `brisk-node ${words.join(' ')}\n`);
    } catch {
      // Nobody waits for it any more.
    }
  });
}
