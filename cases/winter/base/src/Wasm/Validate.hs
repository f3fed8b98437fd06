-- | Whether a module makes sense: the type system of the specification, by
-- the algorithm of its appendix.
module Wasm.Validate
  ( validateModule
  , Invalid (..)
  ) where

import Control.Monad (foldM, forM_, unless, when, zipWithM_)
import Data.Array (Array, bounds, inRange, listArray, (!))
import qualified Data.Set as Set
import Data.Word (Word32)

import Wasm.Syntax

-- | Why the module is refused.
newtype Invalid = Invalid String

instance Show Invalid where
  show (Invalid why) = why

type Check a = Either Invalid a

invalid :: String -> Check a
invalid = Left . Invalid

-- | Adds where it happened.
inside :: String -> Check a -> Check a
inside place (Left (Invalid why)) = Left (Invalid (place ++ ": " ++ why))
inside _ ok = ok

data Context = Context
  { cxTypes :: Array Int FuncType
  , cxFuncs :: Array Int FuncType
  , cxGlobals :: Array Int GlobalType
  , cxImportedGlobals :: Int
  , cxTables :: Int
  , cxMemories :: Int
  , cxLocals :: Array Int ValType
  , cxLabels :: [[ValType]]
  , cxResult :: [ValType]
  }

-- | The operand stack. Below an unconditional jump it has, at its bottom, as
-- many operands of any type as one likes; such an operand is `Nothing`.
data Stack = Stack !Bool [Maybe ValType]

validateModule :: Module -> Check ()
validateModule m = do
  importTypes <- mapM (typeAt types) (importedFuncs m)
  ownTypes <- mapM (typeAt types . funcType) (modFuncs m)
  forM_ (modTypes m) $ \(FuncType _ to) -> when (length to > 1) $ invalid "invalid result arity"
  let funcs = array (importTypes ++ ownTypes)
      tables = importedTables m ++ modTables m
      memories = importedMemories m ++ modMemories m
      globals = array (importedGlobals m ++ [t | GlobalDef t _ <- modGlobals m])
      cx = Context
        { cxTypes = types, cxFuncs = funcs, cxGlobals = globals
        , cxImportedGlobals = length (importedGlobals m)
        , cxTables = length tables, cxMemories = length memories
        , cxLocals = array [], cxLabels = [], cxResult = []
        }
  when (length tables > 1) $ invalid "multiple tables"
  when (length memories > 1) $ invalid "multiple memories"
  mapM_ (checkLimits maxBound "table size") tables
  mapM_ (checkLimits 65536 "memory size must be at most 65536 pages (4GiB)") memories
  zipWithM_ (global cx) [cxImportedGlobals cx :: Int ..] (modGlobals m)
  zipWithM_ (function cx) [length importTypes ..] (modFuncs m)
  forM_ (modElems m) $ \s -> inside "element segment" $ do
    unless (segIndex s < cxTables cx && segIndex s >= 0) $ invalid ("unknown table " ++ show (segIndex s))
    constant cx I32Type (segOffset s)
    forM_ (segContent s) $ \f -> lookupIndex "function" funcs f
  forM_ (modDatas m) $ \s -> inside "data segment" $ do
    unless (segIndex s < cxMemories cx && segIndex s >= 0) $ invalid ("unknown memory " ++ show (segIndex s))
    constant cx I32Type (segOffset s)
  forM_ (modStart m) $ \f -> inside "start function" $ do
    FuncType from to <- lookupIndex "function" funcs f
    unless (null from && null to) $ invalid "must have type [] -> []"
  _ <- foldM (export cx) Set.empty (modExports m)
  pure ()
  where
    types = array (modTypes m)

array :: [a] -> Array Int a
array xs = listArray (0, length xs - 1) xs

typeAt :: Array Int FuncType -> Int -> Check FuncType
typeAt = lookupIndex "type"

lookupIndex :: String -> Array Int a -> Int -> Check a
lookupIndex what xs i
  | inRange (bounds xs) i = Right (xs ! i)
  | otherwise = invalid ("unknown " ++ what ++ " " ++ show i)

checkLimits :: Word32 -> String -> Limits -> Check ()
checkLimits most what (Limits low high) = do
  when (low > most || maybe False (> most) high) $ invalid what
  when (maybe False (< low) high) $ invalid "size minimum must not be greater than maximum"

export :: Context -> Set.Set Name -> Export -> Check (Set.Set Name)
export cx seen (Export name desc) = do
  when (Set.member name seen) $ invalid "duplicate export name"
  case desc of
    ExportFunc i -> () <$ lookupIndex "function" (cxFuncs cx) i
    ExportGlobal i -> () <$ lookupIndex "global" (cxGlobals cx) i
    ExportTable i -> unless (i < cxTables cx && i >= 0) $ invalid ("unknown table " ++ show i)
    ExportMemory i -> unless (i < cxMemories cx && i >= 0) $ invalid ("unknown memory " ++ show i)
  pure (Set.insert name seen)

global :: Context -> Int -> GlobalDef -> Check ()
global cx i (GlobalDef (GlobalType _ t) e) = inside ("global " ++ show i) (constant cx t e)

-- | A constant expression may read imported, immutable globals only.
constant :: Context -> ValType -> [Instr] -> Check ()
constant cx t e = do
  found <- case e of
    [Const v] -> pure (typeOfValue v)
    [GlobalGet i] -> do
      GlobalType mutable t' <- lookupIndex "global" (cxGlobals cx) i
      when (i >= cxImportedGlobals cx) $ invalid ("unknown global " ++ show i)
      when mutable $ invalid "constant expression required"
      pure t'
    _ | all isConstant e -> invalid "type mismatch: a constant expression must give one value"
      | otherwise -> invalid "constant expression required"
  unless (found == t) $ invalid ("type mismatch: " ++ show found ++ " where " ++ show t ++ " is wanted")
  where
    isConstant (Const _) = True
    isConstant (GlobalGet _) = True
    isConstant _ = False

function :: Context -> Int -> Func -> Check ()
function cx i f = inside ("function " ++ show i) $ do
  FuncType from to <- typeAt (cxTypes cx) (funcType f)
  let cx' = cx { cxLocals = array (from ++ funcLocals f), cxResult = to, cxLabels = [to] }
  body cx' to (funcBody f)

-- | A sequence that starts with an empty stack and leaves just these.
body :: Context -> [ValType] -> [Instr] -> Check ()
body cx to is = do
  Stack _ rest <- foldM (instr cx) (Stack False []) is >>= pops to
  unless (null rest) $ invalid "type mismatch: values remaining on stack at end of block"

push :: ValType -> Stack -> Stack
push t (Stack dead ts) = Stack dead (Just t : ts)

pushes :: [ValType] -> Stack -> Stack
pushes ts s = foldl (flip push) s ts

popAny :: Stack -> Check (Maybe ValType, Stack)
popAny s@(Stack dead ts) = case ts of
  t : rest -> Right (t, Stack dead rest)
  [] | dead -> Right (Nothing, s)
     | otherwise -> invalid "type mismatch: the operand stack is empty"

pop :: ValType -> Stack -> Check Stack
pop wanted s = do
  (t, s') <- popAny s
  case t of
    Just found | found /= wanted ->
      invalid ("type mismatch: " ++ show found ++ " where " ++ show wanted ++ " is wanted")
    _ -> Right s'

-- | The last type is on top.
pops :: [ValType] -> Stack -> Check Stack
pops ts s = foldM (flip pop) s (reverse ts)

unreachableFrom :: Stack
unreachableFrom = Stack True []

label :: Context -> Int -> Check [ValType]
label cx l = case drop l (cxLabels cx) of
  ts : _ | l >= 0 -> Right ts
  _ -> invalid ("unknown label " ++ show l)

instr :: Context -> Stack -> Instr -> Check Stack
instr cx s i = case i of
  Unreachable -> Right unreachableFrom
  Nop -> Right s
  Block t is -> block t (result t) is >> Right (pushes (result t) s)
  Loop t is -> block t [] is >> Right (pushes (result t) s)
  If t yes no -> do
    s' <- pop I32Type s
    block t (result t) yes
    block t (result t) no
    Right (pushes (result t) s')
  Br l -> do
    ts <- label cx l
    unreachableFrom <$ pops ts s
  BrIf l -> do
    ts <- label cx l
    pushes ts <$> (pop I32Type s >>= pops ts)
  BrTable ls l -> do
    ts <- label cx l
    forM_ ls $ \l' -> do
      ts' <- label cx l'
      unless (ts == ts') $ invalid "type mismatch: labels of br_table differ"
    unreachableFrom <$ (pop I32Type s >>= pops ts)
  Return -> unreachableFrom <$ pops (cxResult cx) s
  Call f -> lookupIndex "function" (cxFuncs cx) f >>= call s
  CallIndirect t -> do
    when (cxTables cx == 0) $ invalid "unknown table 0"
    ft <- typeAt (cxTypes cx) t
    s' <- pop I32Type s
    call s' ft
  Drop -> snd <$> popAny s
  Select -> do
    (a, s1) <- pop I32Type s >>= popAny
    (b, Stack dead ts) <- popAny s1
    case (a, b) of
      (Just x, Just y) | x /= y -> invalid ("type mismatch: select of " ++ show y ++ " and " ++ show x)
      (Nothing, _) -> Right (Stack dead (b : ts))
      _ -> Right (Stack dead (a : ts))
  LocalGet l -> local l >>= \t -> Right (push t s)
  LocalSet l -> local l >>= \t -> pop t s
  LocalTee l -> local l >>= \t -> push t <$> pop t s
  GlobalGet g -> (\(GlobalType _ t) -> push t s) <$> lookupIndex "global" (cxGlobals cx) g
  GlobalSet g -> do
    GlobalType mutable t <- lookupIndex "global" (cxGlobals cx) g
    unless mutable $ invalid "global is immutable"
    pop t s
  Load op arg -> do
    let (t, size, _) = loadInfo op
    memory >> alignment size arg
    push t <$> pop I32Type s
  Store op arg -> do
    let (t, size) = storeInfo op
    memory >> alignment size arg
    pop t s >>= pop I32Type
  MemorySize -> push I32Type s <$ memory
  MemoryGrow -> memory >> push I32Type <$> pop I32Type s
  Const v -> Right (push (typeOfValue v) s)
  Unary op -> let (from, to) = unaryType op in push to <$> pop from s
  Binary op -> let (from, to) = binaryType op in push to <$> (pop from s >>= pop from)
  where
    result = maybe [] pure
    block t ts is = body cx { cxLabels = ts : cxLabels cx } (result t) is
    local l = lookupIndex "local" (cxLocals cx) l
    memory = when (cxMemories cx == 0) $ invalid "unknown memory 0"
    call st (FuncType from to) = pushes to <$> pops from st
    alignment size (MemArg align _) =
      when (align > 3 || 2 ^ align > size) $ invalid "alignment must not be larger than natural"
