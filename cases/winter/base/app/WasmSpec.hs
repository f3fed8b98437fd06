-- | `wasm-spec FILE.json...`: runs tests of the specification, as `wast2json`
-- writes them.
module WasmSpec
  ( main
  ) where

import Control.Exception (SomeException, evaluate, try)
import Control.Monad (forM, forM_, when)
import Data.Bits (testBit, (.&.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (isPrefixOf)
import qualified Data.Map as Map
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (BufferMode (..), hPutStrLn, hSetBuffering, stderr, stdout)
import Text.Read (readMaybe)

import Json
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

-- | How one command of a test ended.
data Outcome = Passed | Skipped String | Wrong String

-- | Passed, failed, skipped.
data Tally = Tally !Int !Int !Int

instance Semigroup Tally where
  Tally a b c <> Tally a' b' c' = Tally (a + a') (b + b') (c + c')

instance Monoid Tally where
  mempty = Tally 0 0 0

instance Show Tally where
  show (Tally p f s) = show p ++ " passed, " ++ show f ++ " failed, " ++ show s ++ " skipped"

failures :: Tally -> Int
failures (Tally _ f _) = f

-- | What a script has built up so far.
data Script = Script
  { scriptFolder :: FilePath
  , scriptCurrent :: IORef (Maybe Instance)
  , scriptNamed :: IORef (Map.Map Name Instance)
  , scriptOffered :: IORef (Map.Map Name (Map.Map Name External))
  }

main :: IO ()
main = do
  passBytes
  hSetBuffering stdout LineBuffering
  files <- getArgs
  when (null files || any (`elem` ["-h", "--help"]) files) $ do
    hPutStrLn stderr "usage: wasm-spec FILE.json...\n\nRuns tests of the specification, as wast2json writes them."
    exitWith (ExitFailure 2)
  tallies <- mapM runFile files
  let total = mconcat tallies
  putStrLn ("total: " ++ show total)
  when (failures total > 0) $ exitWith (ExitFailure 1)

runFile :: FilePath -> IO Tally
runFile file = do
  content <- try (B.readFile file)
  case either (\e -> Left (show (e :: SomeException))) parseJson content of
    Left why -> do
      putStrLn (file ++ ": cannot be read: " ++ why)
      pure (Tally 0 1 0)
    Right json -> do
      host <- spectest
      script <- Script (folderOf file) <$> newIORef Nothing <*> newIORef Map.empty
        <*> newIORef (Map.singleton (C.pack "spectest") host)
      outcomes <- forM (list (field "commands" json)) $ \c -> do
        result <- try (runCommand script c)
        let outcome = either (\e -> Wrong ("the interpreter failed: " ++ show (e :: SomeException))) id result
        (c, outcome) <$ evaluate outcome
      report file outcomes

report :: FilePath -> [(Json, Outcome)] -> IO Tally
report file outcomes = do
  let tally = mconcat (map (count . snd) outcomes)
      reasons = Map.fromListWith (+) [(why, 1 :: Int) | (_, Skipped why) <- outcomes]
  putStrLn (file ++ ": " ++ show tally)
  forM_ (Map.toList reasons) $ \(why, n) -> putStrLn ("  not checked: " ++ show n ++ " commands (" ++ why ++ ")")
  forM_ [(c, why) | (c, Wrong why) <- outcomes] $ \(c, why) ->
    putStrLn ("  line " ++ number (field "line" c) ++ ": " ++ string (field "type" c) ++ ": " ++ why)
  pure tally
  where
    count Passed = Tally 1 0 0
    count (Wrong _) = Tally 0 1 0
    count (Skipped _) = Tally 0 0 1

folderOf :: FilePath -> FilePath
folderOf file = case break (== '/') (reverse file) of
  (_, '/' : rest) -> reverse rest ++ "/"
  _ -> ""

string :: Json -> String
string = maybe "" C.unpack . text

number :: Json -> String
number (Number n) = C.unpack n
number _ = "?"

-- | No test needs as long as this, in seconds.
timeLimit :: Double
timeLimit = 120

runCommand :: Script -> Json -> IO Outcome
runCommand script c = case string (field "type" c) of
  "module" -> withModule $ \m -> do
    result <- newInstance script m
    case result of
      Left e -> pure (Wrong ("has no instance: " ++ describeInstantiationError e))
      Right inst -> do
        writeIORef (scriptCurrent script) (Just inst)
        forM_ (text (field "name" c)) $ \n -> modifyIORef' (scriptNamed script) (Map.insert n inst)
        pure Passed
  "register" -> do
    found <- instanceOf script c
    case (found, text (field "as" c)) of
      (Just inst, Just as) -> Passed <$ modifyIORef' (scriptOffered script) (Map.insert as (exports inst))
      _ -> pure (Wrong "there is no such module")
  "action" -> action $ \result -> case result of
    Right _ -> Passed
    Left t -> Wrong ("trapped: " ++ describeTrap t)
  "assert_return" -> action $ \result -> case result of
    Left t -> Wrong ("trapped: " ++ describeTrap t)
    Right values
      | length values == length expected && and (zipWith agrees expected values) -> Passed
      | otherwise -> Wrong ("gave " ++ unwords (map showValue values) ++ ", expected " ++ show expected)
  "assert_trap" -> action wantTrap
  "assert_exhaustion" -> action wantTrap
  "assert_malformed"
    | string (field "module_type" c) == "text" -> pure (Skipped "modules in the text format")
    | otherwise -> do
        bytes <- moduleBytes
        pure $ case decodeModule bytes of
          Left _ -> Passed
          Right _ -> Wrong ("decoded, expected: " ++ wanted)
  "assert_invalid" -> withModule' $ \decoded -> pure $ case decoded of
    Left e -> Wrong ("malformed: " ++ show e ++ ", expected as invalid: " ++ wanted)
    Right m -> case validateModule m of
      Left _ -> Passed
      Right () -> Wrong ("valid, expected: " ++ wanted)
  "assert_unlinkable" -> withModule $ \m -> do
    result <- newInstance script m
    pure $ case result of
      Left (Unlinkable why) | wanted `isPrefixOf` why -> Passed
                            | otherwise -> Wrong ("refused: " ++ why ++ ", expected: " ++ wanted)
      Left e -> Wrong ("expected: " ++ wanted ++ ", but " ++ describeInstantiationError e)
      Right _ -> Wrong ("linked, expected: " ++ wanted)
  "assert_uninstantiable" -> withModule $ \m -> do
    result <- newInstance script m
    pure $ case result of
      Left (StartTrapped t) -> wantTrap (Left t)
      Left e -> Wrong ("expected: " ++ wanted ++ ", but " ++ describeInstantiationError e)
      Right _ -> Wrong ("started, expected: " ++ wanted)
  other -> pure (Wrong ("unknown command `" ++ other ++ "`"))
  where
    wanted = string (field "text" c)
    expected = list (field "expected" c)
    moduleBytes = B.readFile (scriptFolder script ++ string (field "filename" c))
    withModule' f = moduleBytes >>= f . decodeModule
    withModule f = withModule' $ \decoded -> case decoded of
      Left e -> pure (Wrong ("malformed: " ++ show e))
      Right m -> case validateModule m of
        Left e -> pure (Wrong ("invalid: " ++ show e))
        Right () -> f m
    action judge = either Wrong judge <$> perform script (field "action" c)
    wantTrap (Left t)
      | wanted `isPrefixOf` said || said `isPrefixOf` wanted || (t == UninitializedElement && "uninitialized" `isPrefixOf` wanted) = Passed
      | otherwise = Wrong ("trapped: " ++ said ++ ", expected: " ++ wanted)
      where said = describeTrap t
    wantTrap (Right values) = Wrong ("gave " ++ unwords (map showValue values) ++ ", expected a trap: " ++ wanted)

newInstance :: Script -> Module -> IO (Either InstantiationError Instance)
newInstance script m = do
  offered <- readIORef (scriptOffered script)
  budget <- seconds timeLimit
  instantiate budget (\from name -> pure (Map.lookup from offered >>= Map.lookup name)) m

-- | The module that a command names, or the current one.
instanceOf :: Script -> Json -> IO (Maybe Instance)
instanceOf script c = case text (field "name" c) of
  Just n -> Map.lookup n <$> readIORef (scriptNamed script)
  Nothing -> case text (field "module" c) of
    Just n -> Map.lookup n <$> readIORef (scriptNamed script)
    Nothing -> readIORef (scriptCurrent script)

-- | Calls a function or reads a global.
perform :: Script -> Json -> IO (Either String (Either Trap [Value]))
perform script a = do
  found <- instanceOf script a
  case found >>= \inst -> text (field "field" a) >>= \name -> Map.lookup name (exports inst) of
    Nothing -> pure (Left ("there is no export " ++ show (field "field" a)))
    Just x -> case (string (field "type" a), externalFunction x) of
      ("invoke", Just f) -> case mapM constant (list (field "args" a)) of
        Nothing -> pure (Left "an argument cannot be read")
        Just args -> do
          let FuncType from _ = functionType f
          budget <- seconds timeLimit
          if map typeOfValue args == from
            then Right <$> invoke budget f args
            else pure (Left "the arguments do not fit the function")
      ("get", Nothing) -> maybe (Left "not a global") (Right . Right . pure) <$> readGlobal x
      _ -> pure (Left "the export is of another kind")

-- | A value as the tests write it: the type, and the bits in decimal.
constant :: Json -> Maybe Value
constant j = do
  bits <- readMaybe (string (field "value" j)) :: Maybe Integer
  case string (field "type" j) of
    "i32" -> Just (I32 (fromInteger bits))
    "i64" -> Just (I64 (fromInteger bits))
    "f32" -> Just (F32 (fromInteger bits))
    "f64" -> Just (F64 (fromInteger bits))
    _ -> Nothing

agrees :: Json -> Value -> Bool
agrees j v = case (string (field "value" j), v) of
  ("nan:canonical", F32 w) -> w .&. 0x7fffffff == 0x7fc00000
  ("nan:canonical", F64 w) -> w .&. 0x7fffffffffffffff == 0x7ff8000000000000
  ("nan:arithmetic", F32 w) -> w .&. 0x7f800000 == 0x7f800000 && testBit w 22
  ("nan:arithmetic", F64 w) -> w .&. 0x7ff0000000000000 == 0x7ff0000000000000 && testBit w 51
  _ -> constant j == Just v
