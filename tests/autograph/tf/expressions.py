"""What is asked of TensorFlow and of `autograph.tf`: one expression a line.

TensorFlow's answers are in golden/values.json, written by

    python tests/autograph/tf/expressions.py

where TensorFlow 2 can be imported; tests compare ours with them.
"""

import json
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parent / "golden" / "values.json"

EXPRESSIONS = """
a+np.array([1.,2.])
a*np.float64(2)
np.array([1.,2.])*a
i+np.array([1,2])
a+1
a+[1.,2.]
i/2
i**2
a**2
2**i
u8/255
-i
tf.abs(-1)
i%-2
i//-2
7//i
tf.pow(2,3)
tf.pow(2.,3)
tf.pow(i,2)
tf.reduce_mean(i)
tf.reduce_mean(-i*3)
tf.reduce_sum(np.array([1,2]))
tf.reduce_sum([1,2])
tf.reduce_sum(m,axis=[0,1])
tf.reduce_sum(m,1,keepdims=True)
tf.cast(-1.7,tf.int32)
tf.cast(1.7,tf.bool)
tf.cast(True,tf.float32)
tf.math.reduce_std(a)
tf.range(3.)
tf.range(3)
tf.range(0,1,0.25)
tf.range(0,1,0.1)
tf.range(10,0,-3)
tf.range(np.int64(3))
tf.range(i[1])
tf.linspace(0.,1.,3)
tf.linspace(0,1,3)
tf.linspace(0.,1.,7)
tf.fill([2],1)
tf.zeros([2])
tf.zeros(3)
tf.zeros((2,0),tf.int32)
tf.eye(2)
tf.eye(2,3,batch_shape=[2])
tf.shape(a)
tf.size(a)
tf.rank(a)
tf.argmax(a)
tf.argmax(m,1)
tf.argsort(a)
tf.argsort([3,1,3,2],direction='DESCENDING')
tf.where(a>1)
tf.where(a>1,a,0.)
tf.where(True,1,2)
tf.one_hot([0,2],3)
tf.one_hot(1,3,on_value=5,off_value=0)
tf.one_hot([[0,2]],3,axis=0)
tf.cumsum(i,exclusive=True)
tf.cumsum(m,axis=1,reverse=True)
tf.cumsum([1,2,3],exclusive=True,reverse=True)
tf.math.cumprod([1,2,3])
tf.math.floormod(i,-2)
tf.truncatediv(-7,2)
tf.truncatemod(-7,2)
tf.truncatediv(-7.5,2.)
tf.math.divide(i,2)
tf.divide(7,2)
tf.math.divide_no_nan(1.,0.)
tf.clip_by_value(i,0,1)
tf.clip_by_value(a,1.5,9)
tf.clip_by_norm(a,1.)
tf.clip_by_norm(a,10.)
tf.linalg.global_norm([a,a])
tf.clip_by_global_norm([a,a],1.)
tf.constant(2**40)
tf.constant([1,2.5])
tf.constant(1,shape=[2,2])
tf.constant([1,2,3,4],shape=[2,2])
tf.constant(np.float64(1))
tf.constant(True)
tf.constant(1j)
tf.constant([1,2],dtype=tf.float32)
tf.constant([])
tf.constant([[1,2],[3,4]])
tf.constant(np.arange(3))
tf.convert_to_tensor([a[0],2.])
tf.convert_to_tensor([np.float64(1),2.])
tf.add(1,2)
tf.add(a,1)
tf.add(a,np.array([1.,2.]))
tf.add(np.array([1.,2.]),1)
tf.equal(a,1)
a==np.array([1.,5.])
a==None
tf.greater(a,1)
tf.round([0.5,1.5,2.5])
tf.sign(-2)
tf.unique([7,5,7])
tf.math.top_k([1,3,2],2)
tf.gather_nd([[1,2],[3,4]],[[0,1]])
tf.gather([[1,2],[3,4]],[1,0],axis=1)
tf.gather([[1,2],[3,4]],[[1],[0]],batch_dims=1)
tf.gather(tf.reshape(tf.range(24),[2,3,4]),[[1,0],[3,3]],axis=2,batch_dims=1)
tf.gather(tf.reshape(tf.range(24),[2,3,4]),[[0,2],[1,1]],axis=1,batch_dims=1)
tf.gather_nd(tf.reshape(tf.range(8),[2,2,2]),[[[0]],[[1]]],batch_dims=1)
tf.scatter_nd([[0],[0]],[1,2],[3])
tf.tensor_scatter_nd_update([1,2,3],[[0]],[9])
tf.tensor_scatter_nd_add([1.,2,3],[[0],[0]],[9.,1.])
tf.boolean_mask([1,2,3],[True,False,True])
tf.boolean_mask(m,[True,False],axis=1)
tf.repeat([1,2],[2,3])
tf.repeat(m,2,axis=0)
tf.sort([3,1],direction='DESCENDING')
tf.reduce_logsumexp([1.,2.])
tf.norm([3.,4.])
tf.norm(fm,ord=1,axis=0)
tf.norm(fm,axis=[0,1])
tf.norm(fm,ord='fro',axis=(0,1))
tf.expand_dims(1,0)
tf.split(tf.range(6),[1,5])
tf.split(tf.range(6),3)
tf.split(tf.range(6),[2,-1])
tf.math.l2_normalize([3.,4.])
tf.math.reduce_variance(a)
tf.reduce_any([True])
tf.reduce_all(b)
tf.reduce_max(a,axis=0,keepdims=True)
i[0]
m[:,1]
m[...,tf.newaxis]
tf.bitwise.bitwise_and(3,1)
tf.searchsorted([1,2,3],[2])
tf.reduce_prod(i)
tf.math.count_nonzero(i)
tf.math.bincount([1,1,2])
tf.linalg.diag([1,2])
tf.linalg.diag_part([[1,2],[3,4]])
tf.linalg.set_diag([[1,2],[3,4]],[9,9])
tf.linalg.band_part([[1,2,3],[4,5,6],[7,8,9]],1,0)
tf.linalg.trace([[1,2],[3,4]])
tf.linalg.det([[1.,2.],[3.,4.]])
tf.linalg.inv([[2.,0.],[0.,4.]])
tf.linalg.solve([[2.,0.],[0.,4.]],[[1.],[1.]])
tf.linalg.cholesky([[4.,2.],[2.,3.]])
tf.linalg.matvec([[1,2],[3,4]],[1,1])
tf.linalg.triangular_solve([[2.,9.],[1.,4.]],[[2.],[4.]])
tf.linalg.lstsq([[1.,0.],[0.,2.],[1.,1.]],[[1.],[2.],[3.]])
tf.matmul([[1,2]],[[1],[2]])
tf.matmul(m,m,transpose_a=True)
tf.matmul([[2**30]],[[4]])
tf.tensordot(a,a,1)
tf.tensordot(m,m,[[0],[1]])
tf.einsum('ij,jk->ik',fm,fm)
tf.math.polyval([1.,2.],3.)
tf.meshgrid([1,2],[3,4])
tf.pad([1],[[1,1]])
tf.pad([1,2,3],[[1,1]],'REFLECT')
tf.pad([1,2,3],[[1,1]],'SYMMETRIC')
tf.pad([1,2,3],[[1,1]],constant_values=7)
tf.reverse([1,2],[0])
tf.roll([1,2,3],1,0)
tf.sequence_mask([1,2])
tf.zeros_like(i)
tf.ones_like([1.])
tf.math.is_nan(a)
tf.identity(3)
tf.math.segment_sum([1,2,3],[0,0,1])
tf.math.unsorted_segment_sum([1.,2.,3.],[1,0,1],3)
tf.math.segment_mean([1.,3.,5.],[0,0,1])
tf.reshape([1,2,3,4],[2,-1])
tf.reshape(tf.range(6),tf.constant([3,2]))
tf.squeeze([[1]])
tf.transpose([[1,2]])
tf.transpose(tf.reshape(tf.range(6),[1,2,3]),[2,0,1])
tf.concat([[1],[2]],0)
tf.concat([a,[3.]],0)
tf.stack([1,2.])
tf.stack([a,a],axis=1)
tf.unstack([1,2])
tf.tile(i,[2])
tf.slice(m,[0,1],[2,1])
tf.slice(m,[0,0],[-1,1])
tf.broadcast_to(i,[2,2])
tf.nn.softmax(fm)
tf.nn.log_softmax(fm,axis=0)
tf.nn.relu(a-1.5)
tf.nn.leaky_relu([-1.,2.])
tf.nn.elu([-1.,2.])
tf.nn.selu([-1.,2.])
tf.nn.gelu([-1.,2.])
tf.nn.gelu([-1.,2.],approximate=True)
tf.nn.silu([-1.,2.])
tf.nn.softplus([-1.,2.])
tf.nn.sigmoid([-1.,2.])
tf.nn.conv2d(im,ke,strides=[1,2,2,1],padding='SAME')
tf.nn.conv2d(im,ke,strides=1,padding='VALID')
tf.nn.conv2d(im,ke,strides=1,padding=[[0,0],[1,0],[0,1],[0,0]])
tf.nn.conv2d(im,ke,1,'SAME',dilations=2)
tf.nn.conv2d_transpose(im,ket,[1,8,8,3],strides=2)
tf.nn.depthwise_conv2d(im,kd,[1,1,1,1],'SAME')
tf.nn.conv1d(im[0],ke[0],1,'SAME')
tf.nn.max_pool2d(im,2,2,'SAME')
tf.nn.max_pool2d(im,[1,3,3,1],[1,1,1,1],'VALID')
tf.nn.avg_pool2d(im,3,2,'SAME')
tf.nn.max_pool(im,2,2,'VALID')
tf.nn.l2_loss(a)
tf.nn.softmax_cross_entropy_with_logits([[1.,0.]],[[1.,2.]])
tf.nn.sparse_softmax_cross_entropy_with_logits([1],[[1.,2.]])
tf.nn.sigmoid_cross_entropy_with_logits([1.],[2.])
tf.nn.weighted_cross_entropy_with_logits([1.,0.],[2.,1.],3.)
tf.nn.moments(fm,[0])
tf.nn.bias_add(fm,[1.,2.])
tf.nn.batch_normalization(fm,1.,2.,3.,4.,1e-3)
tf.nn.embedding_lookup(fm,[1,0,1])
tf.nn.in_top_k([1,0],[[.1,.9],[.2,.8]],1)
tf.image.resize(g16,[2,3])
tf.image.resize(g16,[5,7])
tf.image.resize(g16,[2,2],method='nearest')
tf.image.resize(g16,[8,8],preserve_aspect_ratio=True)
tf.image.convert_image_dtype(g16,tf.float32)
tf.image.rgb_to_grayscale(im)
tf.image.per_image_standardization(im[0])
tf.image.flip_left_right(g16)
tf.image.rot90(g16)
tf.image.adjust_contrast(im,2.)
tf.complex(1.,2.)
tf.math.xlogy(0.,0.)
tf.math.squared_difference(1.,[3.,0.])
tf.math.erf([.5])
tf.math.rsqrt(4.)
tf.math.log1p(1.)
tf.math.atan2(1.,2.)
tf.math.cumulative_logsumexp([1.,2.,3.])
tf.math.zero_fraction([0.,1.,0.])
tf.math.confusion_matrix([0,1,1],[0,1,0])
tf.math.reduce_euclidean_norm(fm,axis=1)
tf.add_n([a,a,a])
tf.foldl(lambda p,q:p-q,i)
tf.foldr(lambda p,q:p-q,tf.constant([1,2,3]))
tf.scan(lambda p,q:p+q,tf.constant([1,2,3]))
tf.scan(lambda p,q:p+q,tf.constant([1,2,3]),reverse=True)
tf.scan(lambda p,q:p*q,tf.constant([1,2,3]),initializer=10)
tf.map_fn(lambda x:x*2,i)
tf.while_loop(lambda i,s:i<5,lambda i,s:(i+1,s+i),(0,0))
tf.math.logical_xor(b,True)
tf.unique_with_counts([7,5,7])
tf.ensure_shape(a,[None])
tf.linalg.eigvalsh([[2.,1.],[1.,2.]])
tf.linalg.svd([[2.,0.],[0.,1.]],compute_uv=False)
tf.linalg.logdet([[4.,2.],[2.,3.]])
tf.linalg.slogdet([[4.,2.],[2.,3.]])
tf.linalg.pinv([[2.,1.],[0.,1.],[1.,1.]])
tf.linalg.cross([1.,2,3],[4.,5,6])
tf.image.adjust_brightness(im,.5)
tf.reduce_min(m,axis=0)
tf.math.argmin(m,axis=1)
tf.bitwise.left_shift(1,3)
tf.cast(3.99,tf.uint8)
tf.cast(1+2j,tf.float32)
tf.math.multiply_no_nan(float('inf'),0.)
tf.nn.log_poisson_loss([1.,2.],[.5,.1])
tf.nn.conv3d(tf.ones([1,2,2,2,1]),tf.ones([2,2,2,1,1]),[1,1,1,1,1],'SAME')
tf.sort([[3,1],[2,5]],axis=0)
tf.math.mod(-7,3)
tf.math.floordiv(-7,2)
u8+1
tf.maximum(a,1.5)
tf.stack([i,[3,4]])
tf.concat([m,m],axis=-1)
v+1
v*np.array([1.,2.])
v[0]
tf.square(v)
tf.argmax([[1,2],[3,0]])
tf.reduce_sum(tf.zeros([0,2]),0)
a[::-1]
m[1,0]
m[tf.constant(1)]
a<np.array([1.5,1.5])
1-a
[1.,2.]-a
i&1
~b
b|False
tf.constant(5)//2
tf.constant(-5)//2
tf.constant(-5)%3
tf.constant(3.)%2
tf.acos([0.5,-1.])
tf.acosh([1.,2.])
tf.asin([0.5,-1.])
tf.asinh([0.,2.])
tf.atan([1.,-2.])
tf.atan2([1.,-1.],[0.,-1.])
tf.atanh([0.,0.5])
tf.cosh(a)
tf.sinh(a)
tf.tan(a)
tf.tanh(a)
tf.sqrt(a)
tf.sigmoid(a)
tf.floor([-1.5,1.5])
tf.math.floormod(-7,2)
tf.math.mod(-7,2)
tf.multiply(i,3)
tf.negative(i)
tf.subtract(3,i)
tf.truediv(i,2)
tf.minimum(i,1)
tf.argmin(m,1)
tf.less(i,2)
tf.less_equal(i,1)
tf.greater_equal(i,2)
tf.not_equal(i,2)
tf.logical_and(b,True)
tf.logical_or(b,False)
tf.logical_not(b)
tf.broadcast_dynamic_shape([2,1],[3])
tf.broadcast_dynamic_shape([4,1,3],[2,1])
tf.shape_n([a,fm])
tf.identity_n([a,fm])
tf.get_static_value(tf.constant(3)).item()
tf.stop_gradient(a)
tf.tensor_scatter_nd_sub(i,[[0]],[5])
tf.grad_pass_through(tf.round)(a/3)
tf.recompute_grad(tf.exp)(a)
tf.bitwise.bitwise_or(i,4)
tf.bitwise.bitwise_xor(i,3)
tf.bitwise.invert(i)
tf.bitwise.right_shift(i*8,2)
tf.linalg.adjoint(tf.complex(fm,fm))
tf.linalg.matrix_transpose(fm)
tf.linalg.tensor_diag(a)
tf.math.angle(tf.complex(a,-a))
tf.math.conj(tf.complex(a,-a))
tf.math.real(tf.complex(a,-a))
tf.math.imag(tf.complex(a,-a))
tf.math.ceil([-1.5,1.5])
tf.math.rint([-1.5,2.5])
tf.math.erfc([0.,0.5])
tf.math.expm1(a)
tf.math.in_top_k([1,0],[[0.1,0.9],[0.2,0.8]],k=1)
tf.math.is_finite([1.,np.inf,np.nan])
tf.math.is_inf([1.,np.inf,np.nan])
tf.math.log_sigmoid(a)
tf.math.reciprocal(a)
tf.math.softplus(a)
tf.math.bincount([1,1,2],weights=[0.5,1.,2.])
tf.math.bincount([1,1,5],maxlength=3)
tf.math.bincount([1,1],maxlength=5)
tf.math.bincount([1,1,5],weights=[1.,2.,3.],maxlength=3)
tf.math.bincount([1,7],minlength=2,maxlength=4)
tf.math.bincount([0,2],minlength=5)
tf.math.confusion_matrix([0,1],[1,1],num_classes=3,weights=[2,3])
tf.nn.avg_pool(im,2,2,"VALID")
tf.nn.avg_pool1d(im[0],2,2,"SAME")
tf.nn.avg_pool3d(im[:,:,:,:,None],2,1,"VALID")
tf.nn.max_pool1d(im[0],2,2,"VALID")
tf.nn.max_pool3d(im[:,:,:,:,None],2,2,"SAME")
tf.nn.max_pool2d(tf.transpose(im,[0,3,1,2]),2,2,"VALID",data_format="NHWC")
tf.nn.convolution(im,ke)
tf.nn.convolution(im[0],ke[0])
tf.nn.conv2d(im,ke,1,[[0,0],[1,0],[0,1],[0,0]])
tf.nn.relu6([-1.,3.,9.])
tf.nn.softsign(a)
tf.nn.swish(a)
tf.nn.silu(a,2.0)
tf.nn.embedding_lookup([[1.,2.],[3.,4.]],[1,2])
tf.nn.embedding_lookup(fm,[1,0])
tf.nn.embedding_lookup([fm],[1,0])
tf.nn.embedding_lookup([fm,fm+1],[1,2])
tf.nn.log_poisson_loss(a,a)
tf.nest.is_nested([1])
tf.image.flip_up_down(im)
tf.image.grayscale_to_rgb(im[:,:,:,:1])
tf.image.adjust_brightness(im,0.25)
tf.reshape(m,tf.constant(4))
tf.reshape(m,tf.constant([4,1]))
tf.reduce_sum(m,axis=tf.constant([0,1]))
tf.concat(m,0)
tf.zeros([2],tf.uint16)
tf.zeros([2],tf.uint32)
tf.zeros([2],tf.uint64)
tf.zeros([2],tf.int8)
tf.zeros([2],tf.int16)
tf.zeros([2],tf.half)
tf.zeros([2],tf.complex64)
tf.zeros([2],tf.complex128)
tf.convert_to_tensor([1,2],dtype_hint=tf.float32)
tf.convert_to_tensor([1.5],dtype_hint=tf.int32)
tf.matmul(*tf.linalg.qr(fm))
tf.abs(tf.linalg.qr(fm)[1])
tf.abs(tf.linalg.qr(fm[:,:1],full_matrices=True)[0])
""".strip().splitlines()


def names(tf):
    """What the expressions speak of."""
    numbers = np.random.RandomState(0)

    def image(*shape):
        return tf.constant(numbers.rand(*shape).astype("float32"))

    return {
        "tf": tf,
        "np": np,
        "a": tf.constant([1.0, 2.0]),
        "i": tf.constant([1, 2]),
        "b": tf.constant([True, False]),
        "m": tf.constant([[1, 2], [3, 4]]),
        "fm": tf.constant([[1.0, 2.0], [3.0, 5.0]]),
        "u8": tf.constant([1, 200], tf.uint8),
        "v": tf.Variable([1.0, 2.0]),
        "im": image(1, 4, 4, 3),
        "ke": image(2, 2, 3, 2),
        "ket": image(3, 3, 3, 3),
        "kd": image(2, 2, 3, 2),
        "g16": tf.constant(np.arange(16, dtype="uint8").reshape(4, 4, 1)),
    }


def plain(result):
    """A result as data: a tensor as [dtype, shape, numbers], a list or tuple as such."""
    if hasattr(result, "numpy"):
        array = np.asarray(result.numpy())
        return [str(array.dtype), list(array.shape), [_number(x) for x in array.ravel().tolist()]]
    if isinstance(result, (list, tuple)):
        return {"parts": [plain(part) for part in result]}
    return repr(result)


def _number(x):
    if isinstance(x, complex):
        return [_number(x.real), _number(x.imag)]
    return float(f"{x:.9g}") if isinstance(x, float) else x


def record():
    import tensorflow as tf

    known = names(tf)
    rows = {e: plain(eval(e, dict(known))) for e in EXPRESSIONS}
    lines = ",\n".join(f"{json.dumps(e)}: {json.dumps(r)}" for e, r in rows.items())
    GOLDEN.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    record()
