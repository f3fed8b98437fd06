-- | `wasm-invoke -w FILE -f EXPORT [ARGS]`: calls an exported function.
module WasmInvoke
  ( main
  ) where

import Control.Exception (IOException, try)
import Control.Monad (unless)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.List (intercalate, isPrefixOf)
import qualified Data.Map as Map
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStr, stderr)
import Text.Read (readMaybe)

import Locale
import Spectest
import Text
import Wasm.Budget
import Wasm.Decode
import Wasm.Engine
import Wasm.Link
import Wasm.Syntax
import Wasm.Trap
import Wasm.Validate

data Options = Options
  { optFile :: Maybe FilePath
  , optFunction :: Maybe String
  , optFuel :: Maybe Int
  , optSeconds :: Maybe Double
  , optArgs :: [String]
  }

usage :: String
usage = unlines
  [ "usage: wasm-invoke -w FILE -f EXPORT [--fuel N] [--seconds S] [ARGS]"
  , ""
  , "Calls an exported function and prints its result, as in `i32:5`."
  , "Arguments may be written likewise, or without the type. The module may import from `spectest`."
  , ""
  , "  -w FILE      the module, in the binary format"
  , "  -f EXPORT    the function's name"
  , "  --fuel N     end in a trap after so many loop iterations and calls"
  , "  --seconds S  end in a trap after so many seconds"
  , ""
  , "Exit status: 0, 1 after a trap, 2 if nothing could be called."
  ]

main :: IO ()
main = do
  passBytes
  args <- getArgs
  if any (`elem` ["-h", "--help"]) (takeWhile (/= "--") args)
    then putStr usage
    else case parse args (Options Nothing Nothing Nothing Nothing []) of
      Left why -> failure 2 why Nothing (Just "`wasm-invoke --help` says what there is")
      Right options -> start options

parse :: [String] -> Options -> Either String Options
parse args o = case args of
  [] -> Right o { optArgs = reverse (optArgs o) }
  "-w" : file : rest -> parse rest o { optFile = Just file }
  "-f" : name : rest -> parse rest o { optFunction = Just name }
  "--fuel" : n : rest -> case readMaybe n of
    Just x | x >= 0 -> parse rest o { optFuel = Just x }
    _ -> Left ("`--fuel` wants a number of iterations and calls, not `" ++ n ++ "`")
  "--seconds" : s : rest -> case readMaybe s of
    Just x | x >= 0 -> parse rest o { optSeconds = Just x }
    _ -> Left ("`--seconds` wants a number of seconds, not `" ++ s ++ "`")
  [flag] | flag `elem` ["-w", "-f", "--fuel", "--seconds"] -> Left ("a value is missing after `" ++ flag ++ "`")
  arg : rest
    | "--" `isPrefixOf` arg || isFlag arg -> Left ("unknown option `" ++ arg ++ "`")
    | otherwise -> parse rest o { optArgs = arg : optArgs o }
  where
    -- Negative numbers are arguments.
    isFlag ('-' : c : _) = c `notElem` "0123456789in."
    isFlag _ = False

start :: Options -> IO ()
start o = case (optFile o, optFunction o) of
  (Nothing, _) -> failure 2 "no module is given" Nothing (Just "name a file with `-w FILE`")
  (_, Nothing) -> failure 2 "no function is given" Nothing (Just "name an export with `-f EXPORT`")
  (Just file, Just name) -> do
    budget <- budgetOf o
    inst <- load budget file
    callExport budget file inst name (optArgs o)

budgetOf :: Options -> IO Budget
budgetOf o = do
  byFuel <- maybe (pure unlimited) fuel (optFuel o)
  byTime <- maybe (pure unlimited) seconds (optSeconds o)
  pure (both byFuel byTime)

load :: Budget -> FilePath -> IO Instance
load budget file = do
  content <- try (B.readFile file)
  bytes <- case content of
    Left e -> failure 2 cannot (Just (show (e :: IOException))) Nothing
    Right b -> pure b
  m <- case decodeModule bytes of
    Left e -> failure 2 cannot (Just ("malformed module: " ++ show e)) (formatHint bytes)
    Right m -> pure m
  case validateModule m of
    Left e -> failure 2 cannot (Just ("invalid module: " ++ show e)) Nothing
    Right () -> pure ()
  host <- spectest
  let offered from name = pure (if from == C.pack "spectest" then Map.lookup name host else Nothing)
  result <- instantiate budget offered m
  case result of
    Left (StartTrapped t) -> failure 1 cannot (Just (describeInstantiationError (StartTrapped t))) Nothing
    Left e -> failure 2 cannot (Just (describeInstantiationError e)) Nothing
    Right inst -> pure inst
  where
    cannot = "cannot load `" ++ file ++ "`"
    formatHint bytes
      | C.pack "(module" `B.isPrefixOf` bytes = Just "this is the text format: make a binary of it with `wat2wasm`"
      | otherwise = Nothing

callExport :: Budget -> FilePath -> Instance -> String -> [String] -> IO ()
callExport budget file inst name texts = do
  f <- case Map.lookup (C.pack name) (exports inst) of
    Nothing -> failure 2 ("`" ++ file ++ "` exports nothing named `" ++ name ++ "`") Nothing (Just known)
    Just x -> case externalFunction x of
      Nothing -> do
        t <- externalType x
        failure 2 ("`" ++ name ++ "` is not a function") (Just ("it is a " ++ show t)) (Just known)
      Just f -> pure f
  let FuncType from _ = functionType f
  unless (length texts == length from) $
    failure 2 (cannot ++ " with " ++ show (length texts) ++ " arguments")
      (Just ("its type is " ++ show (functionType f))) Nothing
  args <- sequence [argument i t text | (i, t, text) <- zip3 [1 :: Int ..] from texts]
  result <- invoke budget f args
  case result of
    Left t -> failure 1 ("`" ++ name ++ "` trapped") (Just (describeTrap t)) Nothing
    Right values -> mapM_ (putStrLn . showValue) values
  where
    cannot = "cannot call `" ++ name ++ "`"
    functions = [C.unpack n | (n, x) <- Map.toList (exports inst), Just _ <- [externalFunction x]]
    known
      | null functions = "it exports no functions"
      | otherwise = "its functions are " ++ intercalate ", " ["`" ++ n ++ "`" | n <- functions]
    argument i t text
      | Just v <- readValue t bare = pure v
      | otherwise = failure 2 (cannot ++ " with `" ++ text ++ "` as argument " ++ show i)
          (Just ("that is no " ++ show t)) (Just ("write it like `" ++ example t ++ "`"))
      where
        prefix = show t ++ ":"
        bare = if prefix `isPrefixOf` text then drop (length prefix) text else text
    example t = showValue (defaultValue t)

-- | Says what could not be done, why, and a way out; then ends.
failure :: Int -> String -> Maybe String -> Maybe String -> IO a
failure status what cause hint = do
  hPutStr stderr $ unlines $
    ["error: " ++ what] ++ ["  cause: " ++ c | Just c <- [cause]] ++ concat [["", "hint: " ++ h] | Just h <- [hint]]
  exitWith (ExitFailure status)
