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
, kind TEXT NOT NULL DEFAULT 'compare', project TEXT NOT NULL DEFAULT '');
INSERT INTO experiment VALUES(1,1795394286377546668,1795394286399003462,'complete','rounds','true {n}',2,2,4,'inconclusive 0.21 [?, ?]','sweep','/home/user');
INSERT INTO experiment VALUES(2,1795394286414676100,1795394286428674193,'complete','rounds','check of project',1,2,2,'1 expectation: 1 is undecided','check','/home/user/project');
INSERT INTO experiment VALUES(3,1795394287000116682,1795394287011032678,'complete','rounds','history of repo, HEAD~1..HEAD: {artifact}',1,2,2,'2 rounds in 0.0 s as asked','history','/home/user/repo');
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
INSERT INTO variant VALUES(3,0,'0c95e4e two','{artifact}');
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
INSERT INTO variant_label VALUES(3,0,0,'commit','0c95e4e377400fb6fe4cf6b6f0111e965ac33211');
INSERT INTO variant_label VALUES(3,0,1,'artifact','379bd05af2c96b6df1e7cac3df7a0d9536d563d541e198bfe7a787ca20e71a9b');
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
INSERT INTO run VALUES(1,'run',0,0,0,0,1795394286381965748,0,NULL,0,NULL,'[0.004109182,0.000878,0,0.000878,0.00313514,5378048,5509120,"1",78,0,1,1,0,0,"1","1","1","1","1","1",0.21366782975297757,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,0,1,1,1795394286386951156,0,NULL,0,NULL,'[0.000890218,0.000791,0,0.000791,1.2935e-5,5640192,5640192,"1",72,0,1,0,0,0,"1","1","1","1","1","1",0.8885464009939139,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,1,0,1,1795394286388231105,0,NULL,0,NULL,'[0.000843888,0.000755,0,0.000755,2.5565e-5,5640192,5640192,"1",75,0,1,1,0,0,"1","1","1","1","1","1",0.894668486813416,"1","1","1","1"]');
INSERT INTO run VALUES(1,'run',0,1,1,0,1795394286389211727,0,NULL,0,NULL,'[0.004682998,0.000728,0,0.000728,0.003905573,5640192,5640192,"1",74,0,1,1,0,0,"1","1","1","1","1","1",0.1554559707264449,"1","1","1","1"]');
INSERT INTO run VALUES(2,'run',0,0,0,0,1795394286419231084,0,NULL,0,NULL,'[0.000764949,0.000658,0,0.000658,4.623e-6,5169152,5365760,"1",51,0,1,0,0,0,"1","1","1","1","1","1",0.8601880648252367,"1","1","1","1"]');
INSERT INTO run VALUES(2,'run',0,1,0,0,1795394286420715395,0,NULL,0,NULL,'[0.001101649,0.000616,0,0.000616,0.000426581,5496832,5496832,"1",52,0,1,0,0,0,"1","1","1","1","1","1",0.5591617656803575,"1","1","1","1"]');
INSERT INTO run VALUES(3,'run',0,0,0,0,1795394287004735879,0,NULL,0,NULL,'[0.000923134,0.00083,0,0.00083,3.5326e-5,5148672,5279744,"1",65,0,1,1,0,0,"1","1","1","1","1","1",0.8991110716320707,"1","1","1","1"]');
INSERT INTO run VALUES(3,'run',0,1,0,0,1795394287006402849,0,NULL,0,NULL,'[0.000782859,0.00071,0,0.00071,1.627e-6,5410816,5410816,"1",66,0,1,0,0,0,"1","1","1","1","1","1",0.9069321550879533,"1","1","1","1"]');
CREATE TABLE look (
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    number INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    clock REAL NOT NULL,
    elapsed_seconds REAL NOT NULL,
    PRIMARY KEY (experiment, number)
) WITHOUT ROWID;
INSERT INTO look VALUES(1,0,2,0.9000000000000000222,0.012539467999999999794);
INSERT INTO look VALUES(2,0,2,1.0,0.0030085530000000001819);
INSERT INTO look VALUES(3,0,2,0.9000000000000000222,0.0028654129999999998143);
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
CREATE TABLE IF NOT EXISTS "experiment_detail" (
    experiment INTEGER PRIMARY KEY REFERENCES experiment (id),
    arguments TEXT NOT NULL,
    cwd TEXT NOT NULL,
    brisk_version TEXT NOT NULL,
    seed TEXT,
    commands INTEGER,
    rule TEXT,
    metrics TEXT,
    machine TEXT NOT NULL,
    conditions TEXT NOT NULL,
    summary TEXT,
    contrasts TEXT,
    subject TEXT,
    history TEXT
);
INSERT INTO experiment_detail VALUES(1,'["sweep","-q","-r","2","--metrics","wall_time","--counters","none","-L","n","1,2","true {n}","--store","/home/user/runs.db"]','/home/user','0.1.0','1473013632',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":3.0,"confidence":0.95,"estimator":"rank-scores","stage":{"reserve":0.1,"number":0,"rounds":0,"seconds":0.0},"sweep":{"command":"true {n}","parameters":[{"name":"n","values":["1","2"]}],"has_default":false,"minimized":"wall_time","beside":"peak_rss","limits":[],"is_exhaustive":false,"allowed_codes":[0]}}','["wall_time","peak_rss"]','{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003211322314844193,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"kind":"sweep","schema":"brisk/1","machine":{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003211322314844193,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":1,"started_unix_ns":1795394286377546668,"brisk_version":"0.1.0","seed":1473013632,"rounds":2,"elapsed_seconds":0.01241699,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time","peak_rss"]},"variants":[{"name":"n=1","command":"true 1","labels":{"n":"1"}},{"name":"n=2","command":"true 2","labels":{"n":"2"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.00439609,"sd":0.00040574918475333964,"median":0.00439609,"min":0.004109182,"max":0.004682998,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.000803,"sd":0.0001060660171779821,"median":0.000803,"min":0.000728,"max":0.000878,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.000803,"sd":0.0001060660171779821,"median":0.000803,"min":0.000728,"max":0.000878,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0035203565,"sd":0.0005447783987498954,"median":0.0035203565,"min":0.00313514,"max":0.003905573,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":5509120.0,"sd":185363.80004736633,"median":5509120.0,"min":5378048.0,"max":5640192.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":5574656.0,"sd":92681.90002368316,"median":5574656.0,"min":5509120.0,"max":5640192.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":76.0,"sd":2.8284271247461903,"median":76.0,"min":74.0,"max":78.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.18456190023971125,"sd":0.041162000263136586,"median":0.18456190023971125,"min":0.1554559707264449,"max":0.21366782975297757,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"wall_time","source":"run","n":2,"mean":0.000867053,"sd":0.000032760257172372764,"median":0.000867053,"min":0.000843888,"max":0.000890218,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"user_time","source":"run","n":2,"mean":0.000773,"sd":0.000025455844122715716,"median":0.000773,"min":0.000755,"max":0.000791,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpu_time","source":"run","n":2,"mean":0.000773,"sd":0.000025455844122715716,"median":0.000773,"min":0.000755,"max":0.000791,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpu_wait","source":"run","n":2,"mean":0.00001925,"sd":8.930758646386095e-6,"median":0.00001925,"min":0.000012935,"max":0.000025565,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"peak_rss","source":"run","n":2,"mean":5640192.0,"sd":0.0,"median":5640192.0,"min":5640192.0,"max":5640192.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":1,"metric":"peak_rss_floor","source":"run","n":2,"mean":5640192.0,"sd":0.0,"median":5640192.0,"min":5640192.0,"max":5640192.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"minor_faults","source":"run","n":2,"mean":73.5,"sd":2.1213203435596424,"median":73.5,"min":72.0,"max":75.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"involuntary_switches","source":"run","n":2,"mean":0.5,"sd":0.7071067811865476,"median":0.5,"min":0.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":1,"metric":"cpus_utilised","source":"run","n":2,"mean":0.891607443903665,"sd":0.004328968397975959,"median":0.891607443903665,"min":0.8885464009939139,"max":0.894668486813416,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":1,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[{"metric":"wall_time","source":"run","baseline":0,"candidate":1,"ratio":0.20536140386852783,"low":0.0,"high":null,"verdict":"inconclusive","within_margin":false,"basis":"ratios","rounds":2,"more_rounds":null,"detectable":null}],"answers":[{"baseline":0,"candidate":1,"verdict":"inconclusive","metric":"wall_time","source":"run","wait_share":null}],"detectable":{},"notes":[{"kind":"contention","wait_share":0.8007926361835176},{"kind":"short-runs","median":0.000867053},{"kind":"at-floor","floor_bytes":5640192.0}],"sweep":{"command":"true {n}","parameters":[{"name":"n","values":["1","2"]}],"minimized":"wall_time","beside":"peak_rss","default":null,"limits":[],"points":[{"variant":0,"rounds":2,"state":"equal","to":1},{"variant":1,"rounds":2,"state":"front"}],"front":[1],"knee":null,"thrifty":null}}',NULL,'{"commands":[],"folder":"/home/user","invocation":{"cleanup":null,"conclude":[],"cwd":null,"default_shell":false,"env":[],"ignore_failure":null,"input":null,"measure":[],"no_shell":false,"output":[],"prepare":[],"setup":[],"setup_runs":1,"shell":null,"show_output":false,"timeout":null},"kind":"sweep","machine":{"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"metrics":["wall_time","peak_rss"],"more":{"sweep":{"allowed_codes":[0],"beside":"peak_rss","command":"true {n}","has_default":false,"is_exhaustive":false,"limits":[],"minimized":"wall_time","parameters":[{"name":"n","values":["1","2"]}]}},"programs":[],"rule":{"confidence":0.95,"estimator":"rank-scores","margin":0.01,"warmup":0},"sources":{"counters":"none","runtime":"auto"},"variants":[{"command":"true 1","labels":[["n","1"]],"name":"n=1"},{"command":"true 2","labels":[["n","2"]],"name":"n=2"}]}',NULL);
INSERT INTO experiment_detail VALUES(2,'["check","-q","--counters","none","--store","/home/user/runs.db"]','/home/user/project','0.1.0','1231226552',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":1.0,"confidence":0.95,"estimator":"rank-scores"}','["wall_time"]','{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003211279088996658,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"kind":"check","schema":"brisk/1","machine":{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003211279088996658,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":2,"started_unix_ns":1795394286414676100,"brisk_version":"0.1.0","seed":1231226552,"rounds":2,"elapsed_seconds":0.00299073,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.01,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"a","command":"true","labels":{}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.000933299,"sd":0.00023808285322551048,"median":0.000933299,"min":0.000764949,"max":0.001101649,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.000637,"sd":0.000029698484809834953,"median":0.000637,"min":0.000616,"max":0.000658,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.000637,"sd":0.000029698484809834953,"median":0.000637,"min":0.000616,"max":0.000658,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.00021560200000000001,"sd":0.0002983693631759132,"median":0.000215602,"min":4.623e-6,"max":0.000426581,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":5332992.0,"sd":231704.7500592079,"median":5332992.0,"min":5169152.0,"max":5496832.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":5431296.0,"sd":92681.90002368316,"median":5431296.0,"min":5365760.0,"max":5496832.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":51.5,"sd":0.7071067811865476,"median":51.5,"min":51.0,"max":52.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.709674915252797,"sd":0.2128577374408343,"median":0.709674915252797,"min":0.5591617656803575,"max":0.8601880648252367,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"contention","wait_share":0.2310106407485704},{"kind":"short-runs","median":0.000933299}],"check":{"project":"/home/user/project","commit":null,"expectations":[{"id":"538c18b2878e","that":"wall_time(a) < 10 s","why":null,"standing":"undecided","truth":"undecided","links":[{"what":"wall_time(a)","comparison":"<","dimension":{"seconds":1,"bytes":0},"value":{"estimate":0.000933299,"low":0.0,"high":null},"limit":{"estimate":10.0,"low":10.0,"high":10.0},"truth":"undecided"}]}]}}','{"pairs":[[0,0]],"family":1}',NULL,NULL);
INSERT INTO experiment_detail VALUES(3,'["history","-q","-r","2","--metrics","wall_time","--counters","none","--build","true","--artifact","prog","--store","/home/user/runs.db","HEAD~1..HEAD"]','/home/user/repo','0.1.0','1834492295',1,'{"warmup":0,"min_rounds":2,"max_rounds":2,"budget_seconds":null,"margin":0.01,"resolution":3.0,"confidence":0.95,"estimator":"rank-scores","stage":{"reserve":0.1,"number":0,"rounds":0,"seconds":0.0}}','["wall_time"]','{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"}','{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003210562944336144,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"}','{"kind":"compare","schema":"brisk/1","machine":{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003210562944336144,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":3,"started_unix_ns":1795394287000116682,"brisk_version":"0.1.0","seed":1834492295,"rounds":2,"elapsed_seconds":0.002849806,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"0c95e4e two","command":"{artifact}","labels":{"artifact":"379bd05af2c96b6df1e7cac3df7a0d9536d563d541e198bfe7a787ca20e71a9b","commit":"0c95e4e377400fb6fe4cf6b6f0111e965ac33211"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.0008529965,"sd":0.00009918940373094298,"median":0.0008529965,"min":0.000782859,"max":0.000923134,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0007700000000000001,"sd":0.0000848528137423857,"median":0.0007700000000000001,"min":0.00071,"max":0.00083,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0007700000000000001,"sd":0.0000848528137423857,"median":0.0007700000000000001,"min":0.00071,"max":0.00083,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0000184765,"sd":0.000023828791419205466,"median":0.000018476500000000002,"min":1.627e-6,"max":0.000035326,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":5279744.0,"sd":185363.80004736633,"median":5279744.0,"min":5148672.0,"max":5410816.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":5345280.0,"sd":92681.90002368316,"median":5345280.0,"min":5279744.0,"max":5410816.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":65.5,"sd":0.7071067811865476,"median":65.5,"min":65.0,"max":66.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":0.5,"sd":0.7071067811865476,"median":0.5,"min":0.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.903021613360012,"sd":0.005530341147880515,"median":0.903021613360012,"min":0.8991110716320707,"max":0.9069321550879533,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"short-runs","median":0.0008529965}]}','{"pairs":[],"family":0}','{"commands":["{artifact}"],"folder":"/home/user/repo","invocation":{"cleanup":null,"conclude":[],"cwd":null,"default_shell":false,"env":[],"ignore_failure":null,"input":null,"measure":[],"no_shell":false,"output":[],"prepare":[],"setup":[],"setup_runs":1,"shell":null,"show_output":false,"timeout":null},"kind":"history","machine":{"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"metrics":["wall_time"],"more":{"bisect":null,"resolution":3.0,"suite":null,"work":null,"work_time":"1s"},"programs":[],"rule":{"confidence":0.95,"estimator":"rank-scores","margin":0.01,"warmup":0},"sources":{"counters":"none","runtime":"auto"},"variants":[]}','{"kind":"history","schema":"brisk/1","machine":{"cpu_hz":2300000000,"cpu_model":"Intel(R) Xeon(R) Processor","cpus_online":2,"hostname":"example","kernel":"6.18.44-fc-v595","memory_bytes":25276514304,"os":"Debian GNU/Linux 12 (bookworm)","virtualised":"yes"},"conditions":{"address_randomisation":2,"boost":{"missing":"no `/sys/devices/system/cpu/cpufreq/boost` here"},"clocksource":"tsc","governors":{"missing":"no `/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor` here"},"hardware_counters":{"missing":"no hardware counters in this machine"},"load_average":[3.61,4.38,3.74],"perf_event_paranoid":2,"smt":false,"steal_share_since_boot":0.0003210562944336144,"throttle_events":{"missing":"no `/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count` here"},"transparent_hugepages":"madvise"},"experiment":{"id":3,"started_unix_ns":1795394287000116682,"brisk_version":"0.1.0","seed":1834492295,"rounds":2,"elapsed_seconds":0.002849806,"stop":"rounds","confidence":0.95,"margin":0.01,"resolution":0.03,"estimator":"rank-scores","order":"rounds","commands":1,"metrics":["wall_time"]},"variants":[{"name":"0c95e4e two","command":"{artifact}","labels":{"artifact":"379bd05af2c96b6df1e7cac3df7a0d9536d563d541e198bfe7a787ca20e71a9b","commit":"0c95e4e377400fb6fe4cf6b6f0111e965ac33211"}}],"summaries":[{"variant":0,"metric":"wall_time","source":"run","n":2,"mean":0.0008529965,"sd":0.00009918940373094298,"median":0.0008529965,"min":0.000782859,"max":0.000923134,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"user_time","source":"run","n":2,"mean":0.0007700000000000001,"sd":0.0000848528137423857,"median":0.0007700000000000001,"min":0.00071,"max":0.00083,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"system_time","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_time","source":"run","n":2,"mean":0.0007700000000000001,"sd":0.0000848528137423857,"median":0.0007700000000000001,"min":0.00071,"max":0.00083,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpu_wait","source":"run","n":2,"mean":0.0000184765,"sd":0.000023828791419205466,"median":0.000018476500000000002,"min":1.627e-6,"max":0.000035326,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"peak_rss","source":"run","n":2,"mean":5279744.0,"sd":185363.80004736633,"median":5279744.0,"min":5148672.0,"max":5410816.0,"low":null,"high":null,"outliers":0,"severe_outliers":0,"at_most":true},{"variant":0,"metric":"peak_rss_floor","source":"run","n":2,"mean":5345280.0,"sd":92681.90002368316,"median":5345280.0,"min":5279744.0,"max":5410816.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"minor_faults","source":"run","n":2,"mean":65.5,"sd":0.7071067811865476,"median":65.5,"min":65.0,"max":66.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"major_faults","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"voluntary_switches","source":"run","n":2,"mean":1.0,"sd":0.0,"median":1.0,"min":1.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"involuntary_switches","source":"run","n":2,"mean":0.5,"sd":0.7071067811865476,"median":0.5,"min":0.0,"max":1.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_reads","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"block_writes","source":"run","n":2,"mean":0.0,"sd":0.0,"median":0.0,"min":0.0,"max":0.0,"low":null,"high":null,"outliers":0,"severe_outliers":0},{"variant":0,"metric":"cpus_utilised","source":"run","n":2,"mean":0.903021613360012,"sd":0.005530341147880515,"median":0.903021613360012,"min":0.8991110716320707,"max":0.9069321550879533,"low":null,"high":null,"outliers":0,"severe_outliers":0}],"missing":[{"variant":0,"metric":"peak_tree_memory","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cycles","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_references","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_misses","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"counters_running","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"instructions_per_cycle","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"clock_rate","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"cache_miss_ratio","source":"run","runs":2,"reason":"not requested"},{"variant":0,"metric":"branch_miss_ratio","source":"run","runs":2,"reason":"not requested"}],"comparisons":[],"answers":[],"detectable":{},"notes":[{"kind":"short-runs","median":0.0008529965}],"history":{"repository":"/home/user/repo","range":"HEAD~1..HEAD","command":"{artifact}","compare_url":null,"experiments":[3]},"commits":[{"hash":"0c95e4e377400fb6fe4cf6b6f0111e965ac33211","parent":"fea3349abc24685038b8766d6eb7ea8e8ad74e01","subject":"two","variant":0,"build":"ok"}],"steps":[],"drifts":[]}');
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
