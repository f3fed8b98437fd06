#!/usr/bin/env python3
"""Reads the samples a second time, independently of the parsers, and writes expected.tsv.

    python3 reference.py > expected.tsv

The name of a sample begins with the word of the runtime and has the version that wrote it:

  ocaml     OCAMLRUNPARAM=v=0x400 or 0x420, programs that make lists and trees
  go        GODEBUG=gctrace=1,inittrace=1 (off: with GOGC=off; memlimit: only gctrace, the first lines)
  jvm       JDK_JAVA_OPTIONS="-XX:+Use...GC -Xmx... -Xlog:gc,gc+cpu,gc+heap+exit:file=F:pid,tags:filecount=0"
  mlton     @MLton gc-summary --, with other options beside it
  polyml    --debug gc,heapsize --logfile F
  sbcl, node, cpython   what the preludes of these adapters reported

Each line of the output: sample, process, figure, value. A figure that is absent is not listed.
"""
import pathlib
import re

MEBIBYTE = 1 << 20
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "": 1}


def ocaml(text):
    for block in re.findall(r"(allocated_words: \d+\n(?:[a-z_]+: \d+\n)+)", text):
        number = {key: int(value) for key, value in re.findall(r"([a-z_]+): (\d+)", block)}
        yield {
            "allocated_bytes": 8 * number["allocated_words"],
            "promoted_bytes": 8 * number["promoted_words"],
            "max_in_use_bytes": 8 * number["top_heap_words"],
            "collections": number["minor_collections"] + number["major_collections"],
            "minor_collections": number["minor_collections"],
            "major_collections": number["major_collections"],
        }


def go(text):
    cycles = re.findall(
        r"^gc \d+ @\S+s \d+%: ([\d.]+)\+[\d.]+\+([\d.]+) ms clock, ([\d.+/]+) ms cpu, "
        r"\d+->\d+->(\d+) MB",
        text,
        re.MULTILINE,
    )
    figures = {
        "collections": len(cycles),
        "major_collections": len(cycles),
        "pause_seconds": sum(float(a) + float(b) for a, b, _, _ in cycles) / 1e3,
        "gc_cpu_seconds": sum(float(x) for c in cycles for x in re.split(r"[+/]", c[2])) / 1e3,
    }
    if cycles:
        figures["max_live_bytes"] = max(int(cycle[3]) for cycle in cycles) * MEBIBYTE
        figures["max_pause_seconds"] = max(float(x) for c in cycles for x in c[:2]) / 1e3
    yield figures


def jvm(text):
    young = re.findall(r"\[gc *\] GC\(\d+\) Pause Young", text)
    full = re.findall(r"\[gc *\] GC\(\d+\) Pause Full.* \d+M->(\d+)M\(\d+M\) [\d.]+ms", text)
    pauses = [float(x) / 1e3 for x in re.findall(r"\[gc *\] GC\(\d+\) Pause .* ([\d.]+)ms\n", text)]
    held = [int(x) * MEBIBYTE for x in re.findall(r"->\d+M\((\d+)M\)", text)]
    totals = re.findall(r" total (\d+)([KMG]),", text)
    totals += re.findall(r"ZHeap +used \d+M, capacity (\d+)(M)", text)
    if totals:
        held.append(sum(int(number) * UNITS[unit] for number, unit in totals))
    stops = re.search(r"Using (Serial|Parallel|G1)\n", text)
    cycles = set(re.findall(r"\[gc *\] GC\((\d+)\)", text))
    figures = {
        "max_in_use_bytes": max(held),
        "collections": len(young) + len(full) if stops else len(cycles),
    }
    if full:
        figures["max_live_bytes"] = max(map(int, full)) * MEBIBYTE
    if stops:
        figures["minor_collections"] = len(young)
        figures["major_collections"] = len(full)
        cpu = re.findall(r"User=([\d.]+)s Sys=([\d.]+)s", text)
        figures["gc_cpu_seconds"] = sum(float(user) + float(system) for user, system in cpu)
    if "Z Garbage" not in text:
        figures["pause_seconds"] = sum(pauses)
        figures["max_pause_seconds"] = max(pauses)
    yield figures


def mlton(text):
    def row(kind):
        return [int(x.replace(",", "")) for x in re.search(rf"^{kind}\t(.*)$", text, re.M)[1].split()[:3]]

    def value(key):
        return int(re.search(rf"^{key}: ([\d,]+)", text, re.M)[1].replace(",", ""))

    copying, compact, minor = row("copying"), row("mark-compact"), row("minor")
    major = copying[1] + compact[1]
    figures = {
        "allocated_bytes": value("total bytes allocated"),
        "promoted_bytes": minor[2],
        "max_in_use_bytes": value("max heap size"),
        "copied_bytes": copying[2] + minor[2],
        "collections": major + minor[1],
        "minor_collections": minor[1],
        "major_collections": major,
        "gc_cpu_seconds": value("total GC time") / 1e3,
        "mutator_cpu_seconds": (value("total time") - value("total GC time")) / 1e3,
        "max_pause_seconds": value("max pause time") / 1e3,
    }
    if major:
        figures["max_live_bytes"] = value("max bytes live")
    yield figures


def polyml(text):
    minor = text.count("GC: Beginning quick GC")
    major = len(re.findall(r"GC: Full GC", text))
    live = [8 * int(x) for x in re.findall(r"Total live data (\d+) words", text)]
    sizes = re.findall(r"(?:Total space|Initial heap) ([\d.]+)([KMG]?)", text)
    times = dict(
        (kind, (float(user), float(system), float(real)))
        for kind, user, system, real in re.findall(
            r"GC \(Total\): (GC|Non-GC) time: CPU user: ([\d.]+) system: ([\d.]+) real: ([\d.]+)", text
        )
    )
    figures = {
        "max_in_use_bytes": max(round(float(number) * UNITS[unit]) for number, unit in sizes),
        "collections": minor + major,
        "minor_collections": minor,
        "major_collections": major,
        "gc_cpu_seconds": times["GC"][0] + times["GC"][1],
        "mutator_cpu_seconds": times["Non-GC"][0] + times["Non-GC"][1],
        "pause_seconds": times["GC"][2],
    }
    if live:
        figures["max_live_bytes"] = max(live)
    yield figures


def of_report(text, names, more):
    for line in text.splitlines():
        said = dict(pair.split("=") for pair in line.split()[1:])
        figures = {}
        for name, (key, factor) in names.items():
            if said[key] != "-":
                figures[name] = int(said[key]) if factor is None else float(said[key]) * factor
        figures.update(more({key: value for key, value in said.items()}))
        yield figures


def sbcl(text):
    names = {"allocated_bytes": ("bytes_consed", None), "gc_cpu_seconds": ("gc_microseconds", 1e-6)}
    return of_report(
        text,
        names,
        lambda said: {
            "mutator_cpu_seconds": (int(said["run_microseconds"]) - int(said["gc_microseconds"])) / 1e6
        },
    )


COLLECTIONS = {
    "minor_collections": ("minor", None),
    "major_collections": ("major", None),
    "pause_seconds": ("pause_microseconds", 1e-6),
    "max_pause_seconds": ("max_pause_microseconds", 1e-6),
}


def all_collections(said):
    return {"collections": int(said["minor"]) + int(said["major"])}


def node(text):
    heap = {"max_live_bytes": ("max_live_bytes", None), "max_in_use_bytes": ("max_heap_bytes", None)}
    return of_report(text, {**COLLECTIONS, **heap}, all_collections)


def cpython(text):
    return of_report(text, COLLECTIONS, all_collections)


for sample in sorted((pathlib.Path(__file__).parent / "samples").iterdir()):
    read = globals()[sample.name.split("-")[0]]
    for process, figures in enumerate(read(sample.read_text())):
        for name, value in sorted(figures.items()):
            text = f"{value:.9g}" if isinstance(value, float) else value
            print(sample.name, process, name, text, sep="\t")
