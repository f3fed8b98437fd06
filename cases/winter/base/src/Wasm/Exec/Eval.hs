-- | The evaluator: small steps, as the specification writes them down.
--
-- The state is a stack of values and a list of instructions. Some of the
-- instructions exist only at run time: a label or a frame holds the state of
-- what runs inside of it.
module Wasm.Exec.Eval where

import Control.Monad (when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT, runExceptT, throwE)
import Control.Monad.Trans.Reader (ReaderT (..), ask)
import Data.Array ((!))
import Data.Int (Int16, Int32, Int8)
import qualified Data.IntMap as IntMap
import Data.Word (Word64)

import Wasm.Exec.Memory
import Wasm.Exec.Monad
import Wasm.Exec.Runtime
import Wasm.Numeric (binary, unary)
import Wasm.Syntax
import Wasm.Trap

-- | Values, the topmost first, and what is to be done.
data Code m = Code [Value] [AdminInstr m]

data AdminInstr m
  = Plain Instr
  | Invoke (FuncInst m)
  | Breaking Int [Value]
  | Returning [Value]
  | Label Int [AdminInstr m] (Code m)
  | Frame Int (FrameInst m) (Code m)

data FrameInst m = FrameInst
  { frameModule :: ModuleInst m
  , frameLocals :: [Ref m Value]
  }

data Config m = Config
  { configFrame :: FrameInst m
  , configDepth :: Int
  , configFuel :: Ref m Int
  , configBudget :: m Int
  }

type CEvalT m a = ReaderT (Config m) (ExceptT Trap m) a

-- | How deep calls may be nested. Arbitrary, except that a step takes time
-- proportional to the depth.
callDepthLimit :: Int
callDepthLimit = 1000

trap :: Monad m => Trap -> CEvalT m a
trap t = lift (throwE t)

-- | Lifts what the monad of the memory does.
run :: Monad m => m a -> CEvalT m a
run = lift . lift

-- | Counts an iteration or a call.
burn :: MonadRef m => CEvalT m ()
burn = do
  cfg <- ask
  left <- run (readRef (configFuel cfg))
  if left > 0
    then run (writeRef (configFuel cfg) $! left - 1)
    else do
      more <- run (configBudget cfg)
      when (more <= 0) $ trap OutOfFuel
      run (writeRef (configFuel cfg) $! more - 1)

currentModule :: Monad m => CEvalT m (ModuleInst m)
currentModule = do
  cfg <- ask
  pure (frameModule (configFrame cfg))

local :: Monad m => Int -> CEvalT m (Ref m Value)
local x = do
  cfg <- ask
  pure (frameLocals (configFrame cfg) !! x)

global :: Monad m => Int -> CEvalT m (GlobalInst m)
global x = do
  inst <- currentModule
  pure (instGlobals inst ! x)

memory :: Monad m => CEvalT m (MemoryInst m)
memory = do
  inst <- currentModule
  pure (head (instMemories inst))

-- | The topmost so many values.
takeValues :: Monad m => Int -> [Value] -> CEvalT m [Value]
takeValues 0 _ = pure []
takeValues n (v : vs) = do
  rest <- takeValues (n - 1) vs
  pure (v : rest)
takeValues _ [] = stuck

stuck :: a
stuck = error "the evaluator is stuck: the validator should have refused the module"

arity :: Maybe ValType -> Int
arity = maybe 0 (const 1)

-- | Runs code until nothing is left to do.
eval :: MonadRef m => Code m -> CEvalT m [Value]
eval c@(Code vs es) = case es of
  [] -> pure vs
  _ -> step c eval

-- | Does one step, and continues with the state after it.
step :: MonadRef m => Code m -> (Code m -> CEvalT m r) -> CEvalT m r
step (Code vs []) k = k (Code vs [])
step (Code vs (e : es)) k = case e of
  Plain i -> instr i vs (\vs' es' -> k (Code vs' (es' ++ es)))
  Invoke f -> invokeStep f vs (\vs' es' -> k (Code vs' (es' ++ es)))
  Breaking _ _ -> stuck
  Returning _ -> stuck
  Label _ _ (Code vs' []) -> k (Code (vs' ++ vs) es)
  Label n cont (Code _ (Breaking 0 vs0 : _)) -> do
    vs' <- takeValues n vs0
    k (Code (vs' ++ vs) (cont ++ es))
  Label _ _ (Code _ (Breaking l vs0 : _)) -> k (Code vs (Breaking (l - 1) vs0 : es))
  Label _ _ (Code _ (Returning vs0 : _)) -> k (Code vs (Returning vs0 : es))
  Label n cont c -> step c (\c' -> k (Code vs (Label n cont c' : es)))
  Frame _ _ (Code vs' []) -> k (Code (vs' ++ vs) es)
  Frame n _ (Code _ (Returning vs0 : _)) -> do
    vs' <- takeValues n vs0
    k (Code (vs' ++ vs) es)
  Frame n frame c -> do
    cfg <- ask
    when (configDepth cfg >= callDepthLimit) $ trap CallStackExhausted
    let inner = cfg { configFrame = frame, configDepth = configDepth cfg + 1 }
    lift (runReaderT (step c (\c' -> lift (runReaderT (k (Code vs (Frame n frame c' : es))) cfg))) inner)

-- | A call: from the arguments to the frame in which the body runs.
invokeStep :: MonadRef m => FuncInst m -> [Value] -> ([Value] -> [AdminInstr m] -> CEvalT m r) -> CEvalT m r
invokeStep f vs k = do
  burn
  args <- reverse <$> takeValues (length from) vs
  let rest = drop (length from) vs
  case f of
    HostFunc _ host -> do
      result <- run (host args)
      case result of
        Left t -> trap t
        Right results -> k (reverse results ++ rest) []
    WasmFunc _ inst func -> do
      locals <- run (mapM newRef (args ++ map defaultValue (funcLocals func)))
      let body = Label (length to) [] (Code [] (map Plain (funcBody func)))
      k rest [Frame (length to) (FrameInst inst locals) (Code [] [body])]
  where
    FuncType from to = typeOfFunc f

-- | One instruction: the values after it, and what is to be done first of all.
instr :: MonadRef m => Instr -> [Value] -> ([Value] -> [AdminInstr m] -> CEvalT m r) -> CEvalT m r
instr i vs0 k = case (i, vs0) of
  (Unreachable, _) -> trap TrapUnreachable
  (Nop, vs) -> k vs []
  (Block t body, vs) -> k vs [Label (arity t) [] (Code [] (map Plain body))]
  (Loop _ body, vs) -> do
    burn
    k vs [Label 0 [Plain i] (Code [] (map Plain body))]
  (If t yes no, I32 c : vs) -> k vs [Plain (Block t (if c /= 0 then yes else no))]
  (Br l, vs) -> k [] [Breaking l vs]
  (BrIf l, I32 c : vs)
    | c /= 0 -> k vs [Plain (Br l)]
    | otherwise -> k vs []
  (BrTable ls l, I32 c : vs) -> case drop (fromIntegral c) ls of
    l' : _ -> k vs [Plain (Br l')]
    [] -> k vs [Plain (Br l)]
  (Return, vs) -> k [] [Returning vs]
  (Call f, vs) -> do
    inst <- currentModule
    k vs [Invoke (instFuncs inst ! f)]
  (CallIndirect t, I32 c : vs) -> do
    inst <- currentModule
    let table = head (instTables inst)
    when (c >= tableSize table) $ trap UndefinedElement
    content <- run (readRef (tableContent table))
    case IntMap.lookup (fromIntegral c) content of
      Nothing -> trap UninitializedElement
      Just f
        | typeOfFunc f /= instTypes inst ! t -> trap IndirectCallMismatch
        | otherwise -> k vs [Invoke f]
  (Drop, _ : vs) -> k vs []
  (Select, I32 c : v2 : v1 : vs)
    | c /= 0 -> k (v1 : vs) []
    | otherwise -> k (v2 : vs) []
  (LocalGet x, vs) -> do
    ref <- local x
    v <- run (readRef ref)
    k (v : vs) []
  (LocalSet x, v : vs) -> do
    ref <- local x
    run (writeRef ref v)
    k vs []
  (LocalTee x, v : vs) -> do
    ref <- local x
    run (writeRef ref v)
    k (v : vs) []
  (GlobalGet x, vs) -> do
    g <- global x
    v <- run (readRef (globalContent g))
    k (v : vs) []
  (GlobalSet x, v : vs) -> do
    g <- global x
    run (writeRef (globalContent g) v)
    k vs []
  (Load op arg, I32 base : vs) -> do
    mem <- memory
    let (t, size, extend) = loadInfo op
    loaded <- run (loadBytes mem (fromIntegral base + fromIntegral (memOffset arg)) size)
    case loaded of
      Nothing -> trap OutOfBoundsMemory
      Just w -> k (fromBits t (if extend then signExtend size w else w) : vs) []
  (Store op arg, v : I32 base : vs) -> do
    mem <- memory
    let (_, size) = storeInfo op
    stored <- run (storeBytes mem (fromIntegral base + fromIntegral (memOffset arg)) size (toBits v))
    if stored then k vs [] else trap OutOfBoundsMemory
  (MemorySize, vs) -> do
    mem <- memory
    pages <- run (memoryPages mem)
    k (I32 pages : vs) []
  (MemoryGrow, I32 n : vs) -> do
    mem <- memory
    old <- run (growMemory mem n)
    k (I32 (maybe 0xffffffff id old) : vs) []
  (Const v, vs) -> k (v : vs) []
  (Unary op, v : vs) -> case unary op v of
    Left t -> trap t
    Right r -> k (r : vs) []
  (Binary op, v2 : v1 : vs) -> case binary op v1 v2 of
    Left t -> trap t
    Right r -> k (r : vs) []
  _ -> stuck

-- | A value of a type from its lowest bits.
fromBits :: ValType -> Word64 -> Value
fromBits t w = case t of
  I32Type -> I32 (fromIntegral w)
  I64Type -> I64 w
  F32Type -> F32 (fromIntegral w)
  F64Type -> F64 w

toBits :: Value -> Word64
toBits v = case v of
  I32 w -> fromIntegral w
  I64 w -> w
  F32 w -> fromIntegral w
  F64 w -> w

-- | The number in the lowest so many bytes, with its sign.
signExtend :: Int -> Word64 -> Word64
signExtend size w = case size of
  1 -> fromIntegral (fromIntegral w :: Int8)
  2 -> fromIntegral (fromIntegral w :: Int16)
  _ -> fromIntegral (fromIntegral w :: Int32)

-- | Calls a function from outside.
invoke :: MonadRef m => m Int -> FuncInst m -> [Value] -> m (Either Trap [Value])
invoke budget f args = do
  left <- newRef 0
  let nowhere = FrameInst (error "there is no current module outside of a function") []
      code = Code (reverse args) [Invoke f]
  result <- runExceptT (runReaderT (eval code) (Config nowhere 0 left budget))
  pure (reverse <$> result)
