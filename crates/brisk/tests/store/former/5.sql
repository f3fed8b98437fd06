PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_unix_ns INTEGER NOT NULL,
    finished_unix_ns INTEGER,
    state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted', 'failed')),
    stop_reason TEXT,
    title TEXT NOT NULL,
    variants INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    answer TEXT
);
INSERT INTO experiment VALUES(1,1795382717464284104,1795382717536482563,'complete','rounds','true {n}',2,2,4,'inconclusive 2.58 [?, ?]');
INSERT INTO experiment VALUES(2,1795382717601059104,1795382717716652242,'complete','rounds','check of project',1,2,2,'1 expectation: 1 is undecided');
INSERT INTO experiment VALUES(3,1795382721333808602,1795382721449440263,'complete','rounds','history of repo, HEAD~1..HEAD: {artifact}',1,2,2,'2 rounds in 0.1 s as asked');
CREATE TABLE experiment_detail (
    experiment INTEGER PRIMARY KEY REFERENCES experiment (id),
    arguments TEXT NOT NULL,
    cwd TEXT NOT NULL,
    brisk_version TEXT NOT NULL,
    seed TEXT NOT NULL,
    commands INTEGER NOT NULL,
    rule TEXT NOT NULL,
    metrics TEXT,
    machine TEXT NOT NULL,
    conditions TEXT NOT NULL,
    summary TEXT
, contrasts TEXT, subject TEXT, history TEXT);
INSERT INTO experiment_detail VALUES(1,'["/usr/bin/brisk","sweep","-q","-r","2","--metrics","wall_time","--counters","none","-L","n","1,2","true {n}","--store","/home/user/runs.db"]','/home/user','0.1.0','844466513',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":3.0,"confidence":0.95,"estimator":"rank-scores","stage":{"reserve":0.1,"number":0,"rounds":0,"seconds":0.0},"sweep":{"command":"true {n}","parameters":[{"name":"n","values":["1","2"]}],"has_default":false,"minimized":"wall_time","beside":"peak_rss","limits":[],"is_exhaustive":false,"allowed_codes":[0]}}','["wall_time","peak_rss"]','{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005441284623408685,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"schema":"brisk/1","machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005441284623408685,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":1,"started_unix_ns":1795382717464284104,"brisk_version":"0.1.0","seed":844466513,"rounds":2,"elapsed_seconds":0.029163342,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time","peak_rss"]},"variants":[{"name":"n=1","command":"true 1","labels":{"n":"1"}},{"name":"n=2","command":"true 2","labels":{"n":"2"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.0013494245,"sd":0.00013968116644880944,"median":0.0013494245,"min":0.001250655,"max":0.001448194,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0012590000000000001,"sd":0.0001286934341759517,"median":0.0012590000000000001,"min":0.001168,"max":0.00135,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0012590000000000001,"sd":0.0001286934341759517,"median":0.0012590000000000001,"min":0.001168,"max":0.00135,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0000291445,"sd":1.7430182156248403e-6,"median":0.0000291445,"min":0.000027912,"max":0.000030377,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":2486272.0,"sd":0.0,"median":2486272.0,"min":2486272.0,"max":2486272.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":2486272.0,"sd":0.0,"median":2486272.0,"min":2486272.0,"max":2486272.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":74.0,"sd":1.4142135623730951,"median":74.0,"min":73.0,"max":75.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.9330530896079592,"sd":0.0012127464257196672,"median":0.9330530896079592,"min":0.9321955483864731,"max":0.9339106308294454,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"wall_time","source":"run","n":2,"mean":0.012497165000000001,"sd":0.01310334202205254,"median":0.012497165,"min":0.003231703,"max":0.021762627,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"user_time","source":"run","n":2,"mean":0.0014665,"sd":0.00020576807332528535,"median":0.0014665,"min":0.001321,"max":0.001612,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpu_time","source":"run","n":2,"mean":0.0014665,"sd":0.00020576807332528535,"median":0.0014665,"min":0.001321,"max":0.001612,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpu_wait","source":"run","n":2,"mean":0.0100422925,"sd":0.014152185732411955,"median":0.0100422925,"min":0.000035186,"max":0.020049399,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"peak_rss","source":"run","n":2,"mean":2271232.0,"sd":304112.48445271037,"median":2271232.0,"min":2056192.0,"max":2486272.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":1,"metric":"peak_rss_floor","source":"run","n":2,"mean":2486272.0,"sd":0.0,"median":2486272.0,"min":2486272.0,"max":2486272.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"minor_faults","source":"run","n":2,"mean":74.5,"sd":0.7071067811865476,"median":74.5,"min":74.0,"max":75.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"involuntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpus_utilised","source":"run","n":2,"mean":0.24141737506632654,"sd":0.23666218396211708,"median":0.24141737506632654,"min":0.07407193993629538,"max":0.40876281019635774,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[{"metric":"wall_time","source":"run","baseline":0,"candidate":1,"ratio":2.5849535732008526,"low":0.0,"high":null,"verdict":"inconclusive","within_margin":false,"basis":"ratios","rounds":2,"more_rounds":null,"detectable":null}],"answers":[{"baseline":0,"candidate":1,"verdict":"inconclusive","metric":"wall_time","source":"run","wait_share":null}],"detectable":{},"notes":[{"kind":"contention","wait_share":0.8035656486891227},{"kind":"short-runs","median":0.0013494245},{"kind":"at-floor","floor_bytes":2486272.0}],"sweep":{"command":"true {n}","parameters":[{"name":"n","values":["1","2"]}],"minimized":"wall_time","beside":"peak_rss","default":null,"limits":[],"points":[{"variant":0,"rounds":2,"state":"front"},{"variant":1,"rounds":2,"state":"equal","to":0}],"front":[0],"knee":null,"thrifty":null}}',NULL,'{"counters":"None","exhaustive":false,"folder":"/home/user","ignore_failure":null,"limits":[],"machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"measure":[],"metrics":"wall_time","minimize":"wall_time","runtime":"Auto","stopping":[null,null,"95","rank-scores"],"sweep":["(Invocation { argv: [\"true\", \"1\"], env: [], cwd: None, stdin: Null, stdout: Null }, None, None, None)","(Invocation { argv: [\"true\", \"2\"], env: [], cwd: None, stdin: Null, stdout: Null }, None, None, None)"],"timeout":null}',NULL);
INSERT INTO experiment_detail VALUES(2,'["/usr/bin/brisk","check","-q","--project","project","--store","/home/user/runs.db"]','/home/user','0.1.0','974949987',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":1.0,"confidence":0.95,"estimator":"rank-scores"}','["wall_time"]','{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005441233740475654,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"schema":"brisk/1","machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005441233740475654,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":2,"started_unix_ns":1795382717601059104,"brisk_version":"0.1.0","seed":974949987,"rounds":2,"elapsed_seconds":0.021224852,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.01,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"a","command":"true","labels":{}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.010039707,"sd":0.012447803124204366,"median":0.010039707,"min":0.001237781,"max":0.018841633,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0010725,"sd":0.000038890872965260214,"median":0.0010725,"min":0.001045,"max":0.0011,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0010725,"sd":0.000038890872965260214,"median":0.0010725,"min":0.001045,"max":0.0011,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0013396740000000001,"sd":0.0018443565168638086,"median":0.0013396740000000001,"min":0.000035517,"max":0.002643831,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":2318336.0,"sd":185363.80004736633,"median":2318336.0,"min":2187264.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":2449408.0,"sd":0.0,"median":2449408.0,"min":2449408.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":52.5,"sd":2.1213203435596424,"median":52.5,"min":51.0,"max":54.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":0.5,"sd":0.7071067811865476,"median":0.5,"min":0.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.4720746890285692,"sd":0.5891789134795357,"median":0.4720746890285692,"min":0.05546228397506734,"max":0.888687094082071,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"no hardware counters in this machine"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"no hardware counters in this machine"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"contention","wait_share":0.1334375594825626},{"kind":"no-counters","reason":"no hardware counters in this machine"}],"check":{"project":"/home/user/project","commit":null,"expectations":[{"id":"f99aa15c07a0","that":"wall_time(a) < 100 s","why":null,"standing":"undecided","truth":"undecided","links":[{"what":"wall_time(a)","comparison":"<","dimension":{"seconds":1,"bytes":0},"value":{"estimate":0.010039707,"low":0.0,"high":null},"limit":{"estimate":100.0,"low":100.0,"high":100.0},"truth":"undecided"}]}]}}','{"pairs":[[0,0]],"family":1}','check of /home/user/project',NULL);
INSERT INTO experiment_detail VALUES(3,'["/usr/bin/brisk","history","HEAD~1..HEAD","--runs","2","--metrics","wall_time","--counters","none","--build","cp source program","--artifact","program","--store","/home/user/runs.db","-q","--","./program"]','/home/user/repo','0.1.0','428460989',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":3.0,"confidence":0.95,"estimator":"rank-scores","stage":{"reserve":0.1,"number":0,"rounds":0,"seconds":0.0}}','["wall_time"]','{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005440017757414655,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"schema":"brisk/1","machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005440017757414655,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":3,"started_unix_ns":1795382721333808602,"brisk_version":"0.1.0","seed":428460989,"rounds":2,"elapsed_seconds":0.08817806,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"d7403d4 2","command":"{artifact}","labels":{"artifact":"44f6d0ee8cd8411a89bbfa4d5300761c592e7ad8ec67b08f6976800faf1f45e1","commit":"d7403d41c61c4ec965beb09305f6fda21376085f"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.0363541585,"sd":0.006176401664075976,"median":0.0363541585,"min":0.031986783,"max":0.040721534,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0012569999999999999,"sd":0.000038183766184073574,"median":0.0012569999999999999,"min":0.00123,"max":0.001284,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0012569999999999999,"sd":0.000038183766184073574,"median":0.0012569999999999999,"min":0.00123,"max":0.001284,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0216413165,"sd":0.025107524029409998,"median":0.0216413165,"min":0.003887616,"max":0.039395017,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":2318336.0,"sd":185363.80004736633,"median":2318336.0,"min":2187264.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":2449408.0,"sd":0.0,"median":2449408.0,"min":2449408.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":64.5,"sd":2.1213203435596424,"median":64.5,"min":63.0,"max":66.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.03517336433913193,"sd":0.0070261175821038115,"median":0.03517336433913193,"min":0.030205148951412294,"max":0.04014157972685156,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"contention","wait_share":0.5952913612345064}]}','{"pairs":[],"family":0}','{"bisect":null,"command":"{artifact}","conclude":[],"confidence":"95","counters":"None","cwd":null,"env":[],"estimator":"rank-scores","folder":"/home/user/repo","hooks":[null,null],"ignore_failure":null,"input":"null","machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"margin":null,"measure":[],"metrics":["wall_time"],"output":[],"prepare":[],"resolution":3.0,"runtime":"Auto","shell":["","false","false"],"timeout":null,"work":[null,"1s"]}','{"schema":"brisk/1","machine":{"cpu_hz":2445432000,"cpu_model":"AMD EPYC","cpus_online":2,"hostname":"example","kernel":"6.1.0","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[6.41,8.91,8.71],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.005440017757414655,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":3,"started_unix_ns":1795382721333808602,"brisk_version":"0.1.0","seed":428460989,"rounds":2,"elapsed_seconds":0.08817806,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"d7403d4 2","command":"{artifact}","labels":{"artifact":"44f6d0ee8cd8411a89bbfa4d5300761c592e7ad8ec67b08f6976800faf1f45e1","commit":"d7403d41c61c4ec965beb09305f6fda21376085f"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.0363541585,"sd":0.006176401664075976,"median":0.0363541585,"min":0.031986783,"max":0.040721534,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0012569999999999999,"sd":0.000038183766184073574,"median":0.0012569999999999999,"min":0.00123,"max":0.001284,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0012569999999999999,"sd":0.000038183766184073574,"median":0.0012569999999999999,"min":0.00123,"max":0.001284,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0216413165,"sd":0.025107524029409998,"median":0.0216413165,"min":0.003887616,"max":0.039395017,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":2318336.0,"sd":185363.80004736633,"median":2318336.0,"min":2187264.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":2449408.0,"sd":0.0,"median":2449408.0,"min":2449408.0,"max":2449408.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":64.5,"sd":2.1213203435596424,"median":64.5,"min":63.0,"max":66.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.03517336433913193,"sd":0.0070261175821038115,"median":0.03517336433913193,"min":0.030205148951412294,"max":0.04014157972685156,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"contention","wait_share":0.5952913612345064}],"history":{"repository":"/home/user/repo","range":"HEAD~1..HEAD","command":"{artifact}","compare_url":null,"experiments":[3]},"commits":[{"hash":"d7403d41c61c4ec965beb09305f6fda21376085f","parent":"3e4f9dba8b866656f2633b0db8c3e4fb3cb7fe56","subject":"2","variant":0,"build":"ok"}],"steps":[],"drifts":[]}');
CREATE TABLE variant (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
INSERT INTO variant VALUES(1,0,'n=1','true 1');
INSERT INTO variant VALUES(1,1,'n=2','true 2');
INSERT INTO variant VALUES(2,0,'a','true');
INSERT INTO variant VALUES(3,0,'d7403d4 2','{artifact}');
CREATE TABLE variant_label (
    experiment INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, number),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;
INSERT INTO variant_label VALUES(1,0,0,'n','1');
INSERT INTO variant_label VALUES(1,1,0,'n','2');
INSERT INTO variant_label VALUES(3,0,0,'commit','d7403d41c61c4ec965beb09305f6fda21376085f');
INSERT INTO variant_label VALUES(3,0,1,'artifact','44f6d0ee8cd8411a89bbfa4d5300761c592e7ad8ec67b08f6976800faf1f45e1');
CREATE TABLE reading_list (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    source TEXT NOT NULL,
    number INTEGER NOT NULL,
    metric TEXT NOT NULL,
    PRIMARY KEY (experiment, source, number)
) WITHOUT ROWID;
INSERT INTO reading_list VALUES(1,'run',0,'wall_time');
INSERT INTO reading_list VALUES(1,'run',1,'user_time');
INSERT INTO reading_list VALUES(1,'run',2,'system_time');
INSERT INTO reading_list VALUES(1,'run',3,'cpu_time');
INSERT INTO reading_list VALUES(1,'run',4,'cpu_wait');
INSERT INTO reading_list VALUES(1,'run',5,'peak_rss');
INSERT INTO reading_list VALUES(1,'run',6,'peak_rss_floor');
INSERT INTO reading_list VALUES(1,'run',7,'peak_tree_memory');
INSERT INTO reading_list VALUES(1,'run',8,'minor_faults');
INSERT INTO reading_list VALUES(1,'run',9,'major_faults');
INSERT INTO reading_list VALUES(1,'run',10,'voluntary_switches');
INSERT INTO reading_list VALUES(1,'run',11,'involuntary_switches');
INSERT INTO reading_list VALUES(1,'run',12,'block_reads');
INSERT INTO reading_list VALUES(1,'run',13,'block_writes');
INSERT INTO reading_list VALUES(1,'run',14,'cycles');
INSERT INTO reading_list VALUES(1,'run',15,'instructions');
INSERT INTO reading_list VALUES(1,'run',16,'cache_references');
INSERT INTO reading_list VALUES(1,'run',17,'cache_misses');
INSERT INTO reading_list VALUES(1,'run',18,'branch_misses');
INSERT INTO reading_list VALUES(1,'run',19,'counters_running');
INSERT INTO reading_list VALUES(1,'run',20,'cpus_utilised');
INSERT INTO reading_list VALUES(1,'run',21,'instructions_per_cycle');
INSERT INTO reading_list VALUES(1,'run',22,'clock_rate');
INSERT INTO reading_list VALUES(1,'run',23,'cache_miss_ratio');
INSERT INTO reading_list VALUES(1,'run',24,'branch_miss_ratio');
INSERT INTO reading_list VALUES(2,'run',0,'wall_time');
INSERT INTO reading_list VALUES(2,'run',1,'user_time');
INSERT INTO reading_list VALUES(2,'run',2,'system_time');
INSERT INTO reading_list VALUES(2,'run',3,'cpu_time');
INSERT INTO reading_list VALUES(2,'run',4,'cpu_wait');
INSERT INTO reading_list VALUES(2,'run',5,'peak_rss');
INSERT INTO reading_list VALUES(2,'run',6,'peak_rss_floor');
INSERT INTO reading_list VALUES(2,'run',7,'peak_tree_memory');
INSERT INTO reading_list VALUES(2,'run',8,'minor_faults');
INSERT INTO reading_list VALUES(2,'run',9,'major_faults');
INSERT INTO reading_list VALUES(2,'run',10,'voluntary_switches');
INSERT INTO reading_list VALUES(2,'run',11,'involuntary_switches');
INSERT INTO reading_list VALUES(2,'run',12,'block_reads');
INSERT INTO reading_list VALUES(2,'run',13,'block_writes');
INSERT INTO reading_list VALUES(2,'run',14,'cycles');
INSERT INTO reading_list VALUES(2,'run',15,'instructions');
INSERT INTO reading_list VALUES(2,'run',16,'cache_references');
INSERT INTO reading_list VALUES(2,'run',17,'cache_misses');
INSERT INTO reading_list VALUES(2,'run',18,'branch_misses');
INSERT INTO reading_list VALUES(2,'run',19,'counters_running');
INSERT INTO reading_list VALUES(2,'run',20,'cpus_utilised');
INSERT INTO reading_list VALUES(2,'run',21,'instructions_per_cycle');
INSERT INTO reading_list VALUES(2,'run',22,'clock_rate');
INSERT INTO reading_list VALUES(2,'run',23,'cache_miss_ratio');
INSERT INTO reading_list VALUES(2,'run',24,'branch_miss_ratio');
INSERT INTO reading_list VALUES(3,'run',0,'wall_time');
INSERT INTO reading_list VALUES(3,'run',1,'user_time');
INSERT INTO reading_list VALUES(3,'run',2,'system_time');
INSERT INTO reading_list VALUES(3,'run',3,'cpu_time');
INSERT INTO reading_list VALUES(3,'run',4,'cpu_wait');
INSERT INTO reading_list VALUES(3,'run',5,'peak_rss');
INSERT INTO reading_list VALUES(3,'run',6,'peak_rss_floor');
INSERT INTO reading_list VALUES(3,'run',7,'peak_tree_memory');
INSERT INTO reading_list VALUES(3,'run',8,'minor_faults');
INSERT INTO reading_list VALUES(3,'run',9,'major_faults');
INSERT INTO reading_list VALUES(3,'run',10,'voluntary_switches');
INSERT INTO reading_list VALUES(3,'run',11,'involuntary_switches');
INSERT INTO reading_list VALUES(3,'run',12,'block_reads');
INSERT INTO reading_list VALUES(3,'run',13,'block_writes');
INSERT INTO reading_list VALUES(3,'run',14,'cycles');
INSERT INTO reading_list VALUES(3,'run',15,'instructions');
INSERT INTO reading_list VALUES(3,'run',16,'cache_references');
INSERT INTO reading_list VALUES(3,'run',17,'cache_misses');
INSERT INTO reading_list VALUES(3,'run',18,'branch_misses');
INSERT INTO reading_list VALUES(3,'run',19,'counters_running');
INSERT INTO reading_list VALUES(3,'run',20,'cpus_utilised');
INSERT INTO reading_list VALUES(3,'run',21,'instructions_per_cycle');
INSERT INTO reading_list VALUES(3,'run',22,'clock_rate');
INSERT INTO reading_list VALUES(3,'run',23,'cache_miss_ratio');
INSERT INTO reading_list VALUES(3,'run',24,'branch_miss_ratio');
CREATE TABLE missing_reason (
    number INTEGER PRIMARY KEY,
    reason TEXT NOT NULL UNIQUE
);
INSERT INTO missing_reason VALUES(1,'not requested');
INSERT INTO missing_reason VALUES(2,'no hardware counters in this machine');
CREATE TABLE run (
    experiment INTEGER NOT NULL,
    source TEXT NOT NULL,
    warmup INTEGER NOT NULL,
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    exit_status INTEGER,
    signal INTEGER,
    left_behind INTEGER NOT NULL,
    stderr_tail TEXT,
    readings TEXT NOT NULL,
    PRIMARY KEY (experiment, source, warmup DESC, round, position),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;
INSERT INTO run VALUES(1,'run',0,0,0,1,1795382717495273114,0,NULL,0,NULL,'[0.003231703,0.001321,0,0.001321,3.5186e-5,2056192,2486272,"1",75,0,1,1,0,0,"1","1","1","1","1","1",0.40876281019635774,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,0,1,0,1795382717499240941,0,NULL,0,NULL,'[0.001448194,0.00135,0,0.00135,3.0377e-5,2486272,2486272,"1",73,0,1,1,0,0,"1","1","1","1","1","1",0.9321955483864731,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,1,0,0,1795382717500940694,0,NULL,0,NULL,'[0.001250655,0.001168,0,0.001168,2.7912e-5,2486272,2486272,"1",75,0,1,1,0,0,"1","1","1","1","1","1",0.9339106308294454,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,1,1,1,1795382717502251661,0,NULL,0,NULL,'[0.021762627,0.001612,0,0.001612,0.020049399,2486272,2486272,"1",74,0,1,1,0,0,"1","1","1","1","1","1",0.07407193993629538,"1","1","1","1"]');
INSERT INTO run VALUES(2,'run',0,0,0,0,1795382717647735129,0,NULL,0,NULL,'[0.018841633,0.001045,0,0.001045,0.002643831,2187264,2449408,"1",54,0,1,0,0,0,"2","2","2","2","2","2",0.05546228397506734,"2","2","2","2"]');
INSERT INTO run VALUES(2,'run',0,1,0,0,1795382717667348923,0,NULL,0,NULL,'[0.001237781,0.0011,0,0.0011,3.5517e-5,2449408,2449408,"1",51,0,1,1,0,0,"2","2","2","2","2","2",0.888687094082071,"2","2","2","2"]');
INSERT INTO run VALUES(3,'run',0,0,0,0,1795382721358816738,0,NULL,0,NULL,'[0.040721534,0.00123,0,0.00123,0.039395017,2187264,2449408,"1",66,0,1,1,0,0,"1","1","1","1","1","1",0.030205148951412294,"1","1","1","1"]');
INSERT INTO run VALUES(3,'run',0,1,0,0,1795382721414552860,0,NULL,0,NULL,'[0.031986783,0.001284,0,0.001284,0.003887616,2449408,2449408,"1",63,0,1,1,0,0,"1","1","1","1","1","1",0.04014157972685156,"1","1","1","1"]');
CREATE TABLE look (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    clock REAL NOT NULL,
    elapsed_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
INSERT INTO look VALUES(1,0,2,0.9000000000000000222,0.029265803999999999429);
INSERT INTO look VALUES(2,0,2,1.0,0.021228849000000001023);
INSERT INTO look VALUES(3,0,2,0.9000000000000000222,0.08818458199999999747);
CREATE TABLE acceptance (
    number INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    expectation TEXT NOT NULL,
    commit_hash TEXT,
    unix_ns INTEGER NOT NULL,
    acceptance TEXT NOT NULL
);
CREATE TABLE baseline (
    project TEXT PRIMARY KEY,
    commit_hash TEXT NOT NULL,
    unix_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE setup_run (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    number INTEGER NOT NULL,
    command TEXT NOT NULL,
    readings TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, number),
    FOREIGN KEY (experiment, variant) REFERENCES variant (experiment, number)
) WITHOUT ROWID;
CREATE TABLE memory_curve (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    round INTEGER NOT NULL,
    quantity TEXT NOT NULL,
    seconds TEXT,
    bytes TEXT,
    missing TEXT,
    PRIMARY KEY (experiment, variant, round, quantity)
) WITHOUT ROWID;
CREATE TABLE harness_measurement (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    variant INTEGER NOT NULL,
    round INTEGER NOT NULL,
    measurements TEXT NOT NULL,
    PRIMARY KEY (experiment, variant, round)
) WITHOUT ROWID;
CREATE TABLE pause (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    elapsed_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('experiment',3);
CREATE INDEX experiment_running ON experiment (id) WHERE state = 'running';
CREATE VIEW reading AS
SELECT
    run.experiment AS experiment,
    run.source AS source,
    run.warmup AS warmup,
    run.round AS round,
    run.position AS position,
    run.variant AS variant,
    reading_list.metric AS metric,
    CASE cell.type WHEN 'text' THEN NULL ELSE CAST(cell.value AS REAL) END AS value,
    missing_reason.reason AS missing
FROM run
CROSS JOIN json_each(run.readings) AS cell
CROSS JOIN reading_list
    ON reading_list.experiment = run.experiment
    AND reading_list.source = run.source
    AND reading_list.number = cell.key
LEFT JOIN missing_reason
    ON cell.type = 'text' AND missing_reason.number = CAST(cell.value AS INTEGER)
WHERE cell.type <> 'null';
CREATE INDEX experiment_of_subject ON experiment_detail (subject) WHERE subject IS NOT NULL;
COMMIT;
