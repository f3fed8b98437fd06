//! `brisk explain` on programs that spend their time in libraries, each before and after its cure.

use serde_json::Value;

use crate::lab::{Lab, has, not_checked};

/// A list reversed by appending.
const REVERSE: [&str; 2] = [
    "rev [] = []\nrev (x : xs) = rev xs ++ [x]\n",
    "rev = go [] where { go acc [] = acc; go acc (x : xs) = go (x : acc) xs }\n",
];

/// Elements without those that came before.
const DISTINCT: [&str; 2] = [
    "rev xs = nub [ x * 7919 `mod` 100003 | x <- xs ]\n",
    "rev xs = S.toList (S.fromList [ x * 7919 `mod` 100003 | x <- xs ])\n",
];

/// A list traversed by index, and one of three elements: no remedy would speed that up.
const POSITIONS: [&str; 2] = [
    "rev xs = go 0 where { go i | i >= length xs = []; go i = xs !! i + 1 : go (i + 1) }\n",
    "rev xs = map (\\x -> three !! (x `mod` 3) + 1) xs where { three = take 3 xs }\n",
];

/// A map rebuilt for each change.
const CONVERSIONS: [&str; 2] = [
    "rev xs = M.elems (foldl' bump (M.fromList [ (x, 0) | x <- xs ]) xs)\n\
     bump m k = M.fromList [ (a, if a == k then b + 1 else b) | (a, b) <- M.toList m ]\n\
     bump :: M.Map Int Int -> Int -> M.Map Int Int\n",
    "rev xs = M.elems (foldl' bump (M.fromList [ (x, 0) | x <- xs ]) xs)\n\
     bump m k = M.adjust (+ 1) k m\n\
     bump :: M.Map Int Int -> Int -> M.Map Int Int\n",
];

/// A whole map traversed after each change.
const FORCED: [&str; 2] = [
    "rev xs = M.elems (foldl' bump (M.fromList [ (x, 0) | x <- xs ]) xs)\n\
     bump m k = force (M.adjust (+ 1) k m)\n\
     bump :: M.Map Int Int -> Int -> M.Map Int Int\n",
    CONVERSIONS[1],
];

/// One transaction over all variables, and one for each.
const TRANSACTIONS: [&str; 2] = [
    "rev xs = unsafePerformIO (mapM newTVarIO xs >>= \\all -> atomically (mapM_ add all >> mapM readTVar all))\n\
     add v = readTVar v >>= \\x -> writeTVar v $! x + 1\n\
     add :: TVar Int -> STM ()\n",
    "rev xs = unsafePerformIO (mapM newTVarIO xs >>= \\all -> mapM_ (atomically . add) all >> mapM readTVarIO all)\n\
     add v = readTVar v >>= \\x -> writeTVar v $! x + 1\n\
     add :: TVar Int -> STM ()\n",
];

/// A text converted to a list and back.
const PACKED: [&str; 2] = [
    "rev xs = map (\\x -> B.length (B.pack (map (+ fromIntegral x) (B.unpack text)))) xs\n\
     text = B.replicate 500 7\n",
    "rev xs = map (\\x -> B.length (B.map (+ fromIntegral x) text)) xs\n\
     text = B.replicate 500 7\n",
];

/// Lists as keys.
const KEYS: [&str; 2] = [
    "rev xs = [ S'.size (foldl' add S'.empty xs) ]\n\
     add seen x = S'.insert [[0, 0], [0, 0], [x * 7919 `mod` 4096, x]] seen\n\
     add :: S'.Set [[Int]] -> Int -> S'.Set [[Int]]\n",
    "rev xs = [ S.size (foldl' add S.empty xs) ]\n\
     add seen x = S.insert (x * 7919 `mod` 4096) seen\n\
     add :: S.IntSet -> Int -> S.IntSet\n",
];

/// A file opened for each piece, and once.
const OPENED: [&str; 2] = [
    "rev xs = unsafePerformIO (mapM add xs)\n\
     add x = appendFile \"written\" (show x) >> pure x\n\
     add :: Int -> IO Int\n",
    "rev xs = unsafePerformIO (withFile \"written\" AppendMode (\\to -> mapM (add to) xs))\n\
     add to x = hPutStr to (show x) >> pure x\n\
     add :: Handle -> Int -> IO Int\n",
];

fn program(body: &str) -> String {
    format!(
        "module Main (main) where\n\
         import Data.List\n\
         import Control.Concurrent.STM\n\
         import Control.DeepSeq\n\
         import qualified Data.ByteString as B\n\
         import qualified Data.IntSet as S\n\
         import qualified Data.Map.Strict as M\n\
         import qualified Data.Set as S'\n\
         import System.IO\n\
         import System.IO.Unsafe\n\
         import System.Environment\n\
         main :: IO ()\n\
         main = getArgs >>= \\[n] -> print (sum (rev [1 .. read n]))\n\
         rev :: [Int] -> [Int]\n\
         {body}"
    )
}

/// The explanation of a program with work of this size.
fn explained(lab: &Lab, body: &str, work: &[&str]) -> Value {
    lab.write("Main.hs", &program(body));
    let options = ["explain", "Main.hs", "--quiet", "--export-json", "why.json"];
    lab.brisk(&[&options[..], work].concat()).succeeded();
    lab.json("why.json")["explanation"].clone()
}

/// Two levels of operators, whose operands are nested in parentheses.
fn grammar(expression: &str) -> String {
    format!(
        "module Main (main) where\n\
         import Text.Parsec\n\
         import Text.Parsec.String (Parser)\n\
         import System.Environment\n\
         main :: IO ()\n\
         main = getArgs >>= \\[n] -> print (parse expr \"\" (nested (read n)))\n\
         nested :: Int -> String\n\
         nested n = replicate n '(' ++ \"1\" ++ replicate n ')'\n\
         expr, term :: Parser Int\n\
         {expression}\
         term = length <$> many1 digit <|> between (char '(') (char ')') expr\n"
    )
}

#[test]
fn a_parser_that_reads_its_operands_again_is_named_and_its_cure_is_clean() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("parsers: there is no ghc");
    }
    let explained = |expression: &str, work: &str| {
        lab.write("Main.hs", &grammar(expression));
        let options = ["explain", "Main.hs", "--quiet", "--export-json", "why.json", "--"];
        lab.brisk(&[&options[..], &[work]].concat()).succeeded();
        lab.json("why.json")["explanation"].clone()
    };
    let again = "expr = try ((+) <$> term <* char '+' <*> expr) <|> term\n";
    let slow = explained(again, "16");
    if slow["not_looked"].to_string().contains("ptrace") {
        return not_checked("parsers: the system forbids tracing");
    }
    let findings = slow["findings"].as_array().expect("a list");
    let found = findings.iter().position(|it| it["cause"] == "parsed-again");
    let rank = found.unwrap_or_else(|| panic!("it is not named: {slow:#}"));
    assert!(rank < 3, "{rank}");
    assert_eq!(findings[rank]["location"]["function"], "expr");
    let rest = "rest, expr' :: Int -> Parser Int\nexpr' = rest\n";
    let once = format!(
        "expr = term >>= rest\nrest left = ((left +) <$> (char '+' *> expr)) <|> pure left\n{rest}"
    );
    let fast = explained(&once, "200000");
    assert!(!fast["findings"].to_string().contains("parsed-again"), "{fast:#}");
}

fn uses(explanation: &Value) -> Vec<(usize, &Value)> {
    let findings = explanation["findings"].as_array().expect("a list");
    findings.iter().enumerate().filter(|(_, it)| it["cause"] == "library-use").collect()
}

#[test]
fn a_costly_use_is_named_for_the_function_that_asks_for_it_and_its_cure_is_clean() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("uses of libraries: there is no ghc");
    }
    for ([before, after], few, many, named) in [
        (REVERSE, "4000", "300000", "++"),
        (DISTINCT, "4000", "100000", "nub"),
        (POSITIONS, "6000", "30000000", "!!"),
        (CONVERSIONS, "700", "30000", "conversions of a Map"),
        (FORCED, "3000", "30000", "deepseq"),
        (TRANSACTIONS, "8000", "1000000", "a transaction over many variables"),
        (PACKED, "30000", "600000", "lists of bytes or characters"),
        (KEYS, "60000", "3000000", "comparisons of large keys"),
        (OPENED, "10000", "300000", "files that are opened each time"),
    ] {
        let slow = explained(&lab, before, &["--", few]);
        if slow["not_looked"].to_string().contains("ptrace") {
            return not_checked("uses of libraries: the system forbids tracing");
        }
        let found = uses(&slow);
        let wanted = format!("`{named}`");
        let (rank, it) = found
            .iter()
            .find(|(_, it)| it["what"].as_str().is_some_and(|what| what.contains(&wanted)))
            .unwrap_or_else(|| panic!("{named} is not named: {slow:#}"));
        assert!(*rank < 3, "{named}: {rank}");
        assert_eq!(it["module"], "Main");
        let function = it["location"]["function"].as_str().unwrap_or_default();
        assert!(["rev", "bump", "add"].contains(&function), "{named}: {it:#}");
        let time = &it["cost"]["time"];
        let number = |field: &str| time[field].as_f64().expect("a number");
        assert!(number("low") <= number("share") && number("share") <= number("high"), "{time}");
        let fast = explained(&lab, after, &["--", many]);
        assert!(fast["time"]["looks"].as_u64().is_some_and(|looks| looks > 0), "{fast:#}");
        assert_eq!(uses(&fast), [], "{named}");
    }
}

#[test]
fn with_two_amounts_of_work_it_is_said_how_costs_grow() {
    let lab = Lab::new();
    if !has("ghc") {
        return not_checked("how costs grow: there is no ghc");
    }
    let work = ["--work", "2000,4000", "--", "{work}"];
    let why = explained(&lab, REVERSE[0], &work);
    // Every element is copied once for each one behind it: half the square of their number. The
    // runtime also counts the stack's chunks; a deeper recursion takes more of them.
    let growth = &why["growth"];
    assert_eq!(growth["works"], serde_json::json!([2000, 4000]));
    let exponent = growth["exponent"].as_f64().expect("the runtime says what it allocated");
    assert!((1.8..2.4).contains(&exponent), "{growth}");
    lab.brisk(&["explain", "Main.hs", "--", "{work}"]).failed("`{work}` has no value");
    lab.brisk(&["explain", "Main.hs", "--work", "1,2"]).failed("`--work` has no place");
    lab.brisk(&["explain", "Main.hs", "--work", "2,1", "--", "{work}"]).failed("bad `--work 2,1`");
}
