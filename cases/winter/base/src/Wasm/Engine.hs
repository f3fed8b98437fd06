-- | The interpreter as its commands see it, whatever the evaluator is like.
module Wasm.Engine
  ( Instance, Function, External, externalFunction
  , instantiate, exports, invoke, functionType, externalType, readGlobal
  , hostFunction, hostGlobal, hostTable, hostMemory
  ) where

import qualified Data.IntMap as IntMap
import qualified Data.Map as Map

import Wasm.Budget
import qualified Wasm.Exec.Eval as Eval
import qualified Wasm.Exec.Instantiate as Instantiate
import Wasm.Exec.Memory (newMemory)
import Wasm.Exec.Monad
import Wasm.Exec.Runtime
import Wasm.Link
import Wasm.Syntax
import Wasm.Trap

type Instance = ModuleInst IO
type Function = FuncInst IO
type External = Extern IO

instantiate :: Budget -> (Name -> Name -> IO (Maybe External)) -> Module -> IO (Either InstantiationError Instance)
instantiate = Instantiate.instantiate

exports :: Instance -> Map.Map Name External
exports = instExports

-- | Calls a function with arguments that fit its type.
invoke :: Budget -> Function -> [Value] -> IO (Either Trap [Value])
invoke = Eval.invoke

functionType :: Function -> FuncType
functionType = typeOfFunc

externalType :: External -> IO ExternType
externalType = typeOfExtern

externalFunction :: External -> Maybe Function
externalFunction (FuncExtern f) = Just f
externalFunction _ = Nothing

readGlobal :: External -> IO (Maybe Value)
readGlobal (GlobalExtern g) = Just <$> readRef (globalContent g)
readGlobal _ = pure Nothing

hostFunction :: FuncType -> ([Value] -> IO (Either Trap [Value])) -> IO External
hostFunction t f = pure (FuncExtern (HostFunc t f))

hostGlobal :: GlobalType -> Value -> IO External
hostGlobal t v = GlobalExtern . GlobalInst t <$> newRef v

hostTable :: Limits -> IO External
hostTable (Limits low high) = TableExtern . TableInst low high <$> newRef IntMap.empty

-- | A memory of few enough pages.
hostMemory :: Limits -> IO External
hostMemory l = newMemory l >>= maybe (error "a memory beyond the limit of pages") (pure . MemoryExtern)
